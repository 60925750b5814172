/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { CSINode } from "#/api/storage/v1.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { goList, longTime } from "../parts/description.ts";

const describeCsiNode: Describer = (to, { object }) => {
  const { metadata, spec } = object as unknown as CSINode;
  to.head(object.metadata, { namespaced: false });
  to.field(0, "CreationTimestamp", longTime(metadata?.creationTimestamp));
  to.write(0, "Spec:\n");
  if (spec.drivers) to.write(1, "Drivers:\n");
  for (const { name, nodeID, allocatable, topologyKeys } of spec.drivers ?? []) {
    to.write(2, `${name}:\n`);
    to.field(3, "Node ID", nodeID);
    if (allocatable?.count !== undefined) {
      to.write(3, "Allocatables:\n");
      to.field(4, "Count", allocatable.count);
    }
    if (topologyKeys) to.field(3, "Topology Keys", goList(topologyKeys));
  }
};

export const csiNode: KindDescriber = { describe: describeCsiNode };
