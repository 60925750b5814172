import { nodes, type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { containersOf, hasEnded, isScheduled } from "../../facts/containers.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";

/** A Pod that is bound to a node that does not exist: by spec.nodeName, or since the Node was deleted. */
export const nodeAbsent = cause<Pod>({
  name: "node-does-not-exist",
  layer: "scheduling",
  of: [pods],
  find(pod, view) {
    const { nodeName = "" } = pod.spec;
    if (!isScheduled(pod) || hasEnded(pod) || !view.isAbsent(nodes, { name: nodeName }))
      return undefined;
    const ran = containersOf(pod).some(({ status }) => status?.containerID !== undefined);
    return {
      sentence: `it is assigned to node "${nodeName}", which ${ran ? "exists no more" : "does not exist"}`,
      since: pod.metadata.creationTimestamp,
      fix: ["kubectl get nodes", `kubectl delete pod ${pod.metadata.name} --force`],
    };
  },
});

export const nodeNameMismatch = schedulingCause({
  name: "node-name",
  texts: /didn't match the requested node name/,
  explain: () => ({
    sentence: "no node has the name that it asks for",
    fix: ["kubectl get nodes"],
  }),
});
