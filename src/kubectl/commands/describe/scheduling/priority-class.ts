/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { PriorityClass } from "#/api/scheduling/v1.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { labelLine } from "../parts/description.ts";

const describePriorityClass: Describer = (to, { object }) => {
  const { metadata, value, globalDefault, preemptionPolicy, description } =
    object as unknown as PriorityClass;
  to.field(0, "Name", metadata?.name ?? "");
  to.field(0, "Value", value);
  to.field(0, "GlobalDefault", globalDefault ?? false);
  to.field(0, "PreemptionPolicy", preemptionPolicy ?? "");
  to.field(0, "Description", description ?? "");
  to.field(0, "Annotations", labelLine(metadata?.annotations));
};

export const priorityClass: KindDescriber = { describe: describePriorityClass };
