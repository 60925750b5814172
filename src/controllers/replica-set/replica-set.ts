/** Upstream: pkg/controller/replicaset. */
import { type ReplicaSet, replicaSets } from "#/api/apps/v1.ts";
import type { Pod } from "#/api/core/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { findControllerReference } from "#/machinery/meta/owner-references.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { controlledObjects } from "../base/selected-objects.ts";
import { podsControlledBy } from "../pods/pod-indexes.ts";
import { replicator } from "./replicator.ts";

/** Maintains the number of Pods of a ReplicaSet. */
export const replicaSetController = replicator<ReplicaSet>({
  name: "replicaset-controller",
  eventSource: "replicaset-controller",
  resource: replicaSets,
  workers: ({ flags }) => flags["concurrent-replicaset-syncs"],
  selectorOf: ({ spec }) => compileLabelSelector(spec?.selector),
  reportsTerminating: ({ enabled }) => enabled("DeploymentReplicaSetTerminatingReplicas"),
  relatedPods,
});

/** The Pods of all ReplicaSets with the same owner, such as one Deployment. */
function relatedPods(set: ReplicaSet, { informers }: ControllerContext<ManagerOptions>): Pod[] {
  const owner = findControllerReference(set);
  const siblings = owner
    ? controlledObjects(replicaSets, { metadata: { uid: owner.uid } }, informers)
    : [set];
  return siblings.flatMap((sibling) => podsControlledBy(sibling, informers));
}
