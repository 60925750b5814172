/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { ServiceCIDR } from "#/api/networking/v1.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { longTime } from "../parts/description.ts";

const describeServiceCidr: Describer = (to, { object }) => {
  const { spec, status } = object as unknown as ServiceCIDR;
  to.head(object.metadata, { namespaced: false });
  to.field(0, "CIDRs", (spec?.cidrs ?? []).join(", "));
  if (!status?.conditions?.length) return;
  to.write(0, "Status:\nConditions:\n");
  to.write(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage\n");
  to.write(1, "----\t------\t------------------\t------\t-------\n");
  for (const { type, status: value, ...condition } of status.conditions) {
    const { lastTransitionTime, reason, message } = condition;
    to.write(1, `${type}\t${value}\t${longTime(lastTransitionTime)}\t${reason}\t${message}\n`);
  }
};

export const serviceCidr: KindDescriber = { describe: describeServiceCidr };
