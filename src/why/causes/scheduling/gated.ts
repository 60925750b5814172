import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import { isScheduled } from "../../facts/containers.ts";

export const schedulingGate = cause<Pod>({
  name: "scheduling-gate",
  layer: "scheduling",
  of: [pods],
  find(pod) {
    const gates = (pod.spec.schedulingGates ?? []).map(({ name }) => name);
    if (gates.length === 0 || isScheduled(pod)) return undefined;
    return {
      sentence: `it is not scheduled before its scheduling gate${gates.length > 1 ? "s" : ""} ${names(gates)} ${gates.length > 1 ? "are" : "is"} removed, by the program that set ${gates.length > 1 ? "them" : "it"}`,
      since: pod.metadata.creationTimestamp,
      evidence: [`spec.schedulingGates: ${gates.join(", ")}`],
      fix: [`kubectl edit pod ${pod.metadata.name}`],
    };
  },
});
