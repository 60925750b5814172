/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import { limitRanges, type Namespace, resourceQuotas } from "#/api/core/v1.ts";
import type { Context } from "../../../command/context.ts";
import { sorted } from "../parts/data-entries.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { type Description, longTime } from "../parts/description.ts";
import { limitTable } from "./limit-range.ts";
import { quotaScopes } from "./resource-quota.ts";

const describeNamespace: Describer = async (to, { object, context }) => {
  const { metadata, status } = object as unknown as Namespace;
  to.head(object.metadata, { namespaced: false });
  to.field(0, "Status", status?.phase ?? "");
  if (status?.conditions?.length) {
    to.write(0, "Conditions:\n");
    to.write(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage\n");
    to.write(1, "----\t------\t------------------\t------\t-------\n");
    for (const {
      type,
      status: value,
      lastTransitionTime,
      reason = "",
      message = "",
    } of status.conditions) {
      to.write(1, `${type}\t${value}\t${longTime(lastTransitionTime)}\t${reason}\t${message}\n`);
    }
  }
  await namespaceQuotas(to, metadata?.name ?? "", context);
};

async function namespaceQuotas(
  to: Description,
  namespace: string,
  context: Context,
): Promise<void> {
  const client = await context.cluster.client();
  const quotas = await client.listAll(resourceQuotas, { namespace });
  to.write(0, "\n");
  if (quotas.length === 0) to.write(0, "No resource quota.\n");
  else to.write(0, "Resource Quotas\n");
  for (const quota of quotas.toSorted((a, b) =>
    (a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1,
  )) {
    to.field(1, "Name", quota.metadata?.name ?? "");
    quotaScopes(to, quota, { level: 1, bullet: "* " });
    to.write(1, "Resource\tUsed\tHard\n");
    to.write(1, "--------\t---\t---\n");
    for (const [name, hard] of sorted(quota.status?.hard)) {
      to.write(1, `${name}\t${quota.status?.used?.[name] ?? "0"}\t${hard}\n`);
    }
  }
  const ranges = await client.listAll(limitRanges, { namespace });
  to.write(0, "\n");
  if (ranges.length === 0) {
    to.write(0, "No LimitRange resource.\n");
    return;
  }
  to.write(0, "Resource Limits\n");
  limitTable(to, ranges, " ");
}

export const namespace: KindDescriber = { describe: describeNamespace, events: "none" };
