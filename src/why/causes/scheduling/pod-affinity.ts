import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";

export const podAffinity = schedulingCause({
  name: "pod-affinity",
  texts:
    /didn't match pod (anti-)?affinity rules|didn't satisfy (existing) pods anti-affinity rules/,
  explain([, anti, existing], { spec }) {
    if (existing) {
      return {
        sentence: "Pods that already run keep it away from every node by their anti-affinity",
        fix: ["# another node, or weaker anti-affinity rules of those Pods"],
      };
    }
    const { podAffinity: near, podAntiAffinity: far } = spec.affinity ?? {};
    const rules = (anti ? far : near)?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const [rule] = rules;
    const to = rule ? ` (${formatLabelSelector(rule.labelSelector)} by ${rule.topologyKey})` : "";
    return anti
      ? {
          sentence: `its Pod anti-affinity${to} leaves no node: each has such a Pod already`,
          fix: ["# fewer replicas, more nodes, or preferredDuringScheduling… instead of required…"],
        }
      : {
          sentence: `its Pod affinity${to} matches no Pod that runs on a node`,
          fix: ["# start the Pods that it wants to be near, or correct the labels of the rule"],
        };
  },
});
