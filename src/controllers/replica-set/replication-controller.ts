/** Upstream: pkg/controller/replication. */
import { type ReplicationController, replicationControllers } from "#/api/core/v1.ts";
import { selectorFromLabels } from "#/machinery/meta/labels.ts";
import { podsControlledBy } from "../pods/pod-indexes.ts";
import { replicator } from "./replicator.ts";

/** Maintains the number of Pods of a ReplicationController. */
export const replicationControllerController = replicator<ReplicationController>({
  name: "replicationcontroller-controller",
  eventSource: "replication-controller",
  resource: replicationControllers,
  workers: ({ flags }) => flags["concurrent-rc-syncs"],
  selectorOf: ({ spec }) => selectorFromLabels(spec?.selector),
  reportsTerminating: () => false,
  relatedPods: (owner, { informers }) => podsControlledBy(owner, informers),
});
