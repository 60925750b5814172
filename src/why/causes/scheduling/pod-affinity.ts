import { type Pod, pods } from "#/api/core/v1.ts";
import { compileLabelSelector, formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { names } from "../../base/text.ts";
import type { View } from "../../base/view.ts";
import { hasEnded, isScheduled } from "../../facts/containers.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";

export const podAffinity = schedulingCause({
  name: "pod-affinity",
  texts:
    /didn't match pod (anti-)?affinity rules|didn't satisfy (existing) pods anti-affinity rules/,
  explain([, anti, existing], pod, view) {
    const { spec } = pod;
    if (existing) {
      const keepers = podsThatRepel(pod, view).map(podName);
      return {
        sentence: `${keepers.length > 0 ? names(keepers) : "Pods that already run"} keep${keepers.length === 1 ? "s" : ""} it away from every node by ${keepers.length === 1 ? "its" : "their"} anti-affinity`,
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

/** Running Pods whose required anti-affinity selects a Pod; those that select namespaces by labels are left out. */
function podsThatRepel({ metadata }: Pod, view: View): readonly Pod[] {
  const running = (view.list(pods) ?? []).filter((one) => isScheduled(one) && !hasEnded(one));
  return running.filter((one) =>
    (one.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(
      ({ labelSelector, namespaces = [] }) => {
        const spaces = namespaces.length > 0 ? namespaces : [one.metadata.namespace];
        return (
          spaces.includes(metadata.namespace) &&
          compileLabelSelector(labelSelector).matches(metadata.labels)
        );
      },
    ),
  );
}

const podName = ({ metadata }: Pod): string => `pod/${metadata.name} in ${metadata.namespace}`;
