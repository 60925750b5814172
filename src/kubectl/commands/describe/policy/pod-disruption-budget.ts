/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { PodDisruptionBudget } from "#/api/policy/v1.ts";
import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";

const describeBudget: Describer = (to, { object }) => {
  const { metadata, spec, status } = object as unknown as PodDisruptionBudget;
  to.field(0, "Name", metadata?.name ?? "");
  to.field(0, "Namespace", metadata?.namespace ?? "");
  if (spec?.minAvailable !== undefined) to.field(0, "Min available", spec.minAvailable);
  else if (spec?.maxUnavailable !== undefined) to.field(0, "Max unavailable", spec.maxUnavailable);
  to.field(0, "Selector", spec?.selector ? formatLabelSelector(spec.selector) : "<unset>");
  to.write(0, "Status:\n");
  to.field(2, "Allowed disruptions", status?.disruptionsAllowed ?? 0);
  to.field(2, "Current", status?.currentHealthy ?? 0);
  to.field(2, "Desired", status?.desiredHealthy ?? 0);
  to.field(2, "Total", status?.expectedPods ?? 0);
};

export const podDisruptionBudget: KindDescriber = { describe: describeBudget };
