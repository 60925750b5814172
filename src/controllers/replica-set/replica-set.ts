/** Upstream: pkg/controller/replicaset. */
import { type ReplicaSet, replicaSets } from "#/api/apps/v1.ts";
import { type Pod, pods } from "#/api/core/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { compileLabelSelector } from "#/machinery/label-selector.ts";
import { findControllerReference } from "#/machinery/owner-references.ts";
import type { ManagerOptions } from "../manager-options.ts";
import { replicator } from "./replicator.ts";

/** Keeps as many pods as a ReplicaSet says. */
export const replicaSetController = replicator<ReplicaSet>({
  name: "replicaset-controller",
  eventSource: "replicaset-controller",
  resource: replicaSets,
  workers: ({ flags }) => flags["concurrent-replicaset-syncs"],
  selectorOf: ({ spec }) => compileLabelSelector(spec?.selector),
  tellsTerminating: ({ enabled }) => enabled("DeploymentReplicaSetTerminatingReplicas"),
  relatedPods,
});

/** The pods of all replica sets that have the same owner, such as those of one deployment. */
function relatedPods(set: ReplicaSet, { informers }: ControllerContext<ManagerOptions>): Pod[] {
  const owner = findControllerReference(set);
  const namespace = set.metadata.namespace ?? "";
  const siblings = informers
    .informer(replicaSets)
    .store.listNamespace(namespace)
    .filter(
      (other) => other === set || (owner && findControllerReference(other)?.uid === owner.uid),
    );
  const uids = new Set(siblings.map(({ metadata }) => metadata.uid));
  return informers
    .informer(pods)
    .store.listNamespace(namespace)
    .filter((pod) => uids.has(findControllerReference(pod)?.uid));
}
