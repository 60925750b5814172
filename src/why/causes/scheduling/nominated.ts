import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { names, oneLine } from "../../base/text.ts";
import { isScheduled } from "../../facts/containers.ts";
import { unschedulable } from "../../facts/unschedulable.ts";

/** Preemption has been decided: the node is found, but other Pods must end first. */
export const waitsForVictims = cause<Pod>({
  name: "waits-for-preempted-pods",
  layer: "scheduling",
  group: "scheduling",
  of: [pods],
  find(pod, view) {
    const node = pod.status?.nominatedNodeName;
    const state = unschedulable(pod);
    if (!node || isScheduled(pod) || !state) return undefined;
    const ending = (view.list(pods) ?? [])
      .filter(({ spec, metadata }) => spec.nodeName === node && metadata.deletionTimestamp)
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    if (ending.length === 0) return undefined;
    return {
      sentence: `it has preempted ${names(ending)} on node ${node}, and waits until ${ending.length === 1 ? "that Pod has" : "those Pods have"} ended`,
      since: state.since,
      evidence: [`the scheduler says: ${oneLine(state.message)}`],
      fix: [`kubectl get pods -A --field-selector spec.nodeName=${node}`],
    };
  },
});
