/** Upstream: github.com/container-storage-interface/spec/csi.proto. Messages are declared as far as they are used. */
import { service, unary } from "#/std/grpc/grpc.ts";
import { map, message, nested, repeated } from "#/std/protobuf/protobuf.ts";
import { bool, enumeration, int32, int64, string } from "#/std/protobuf/protobuf-field.ts";
import {
  CapacityRange,
  Empty,
  Topology,
  Volume,
  VolumeCapability,
  VolumeContentSource,
} from "./csi-messages.ts";

const TopologyRequirement = message({
  requisite: repeated(nested(1, Topology)),
  preferred: repeated(nested(2, Topology)),
});

const Snapshot = message({
  sizeBytes: int64(1),
  snapshotId: string(2),
  sourceVolumeId: string(3),
  creationTime: nested(4, message({ seconds: int64(1), nanos: int32(2) })),
  readyToUse: bool(5),
});

const controllerCapabilities = {
  UNKNOWN: 0,
  CREATE_DELETE_VOLUME: 1,
  PUBLISH_UNPUBLISH_VOLUME: 2,
  LIST_VOLUMES: 3,
  GET_CAPACITY: 4,
  CREATE_DELETE_SNAPSHOT: 5,
  LIST_SNAPSHOTS: 6,
  CLONE_VOLUME: 7,
  PUBLISH_READONLY: 8,
  EXPAND_VOLUME: 9,
  SINGLE_NODE_MULTI_WRITER: 13,
} as const;

const ControllerCapability = message({
  rpc: nested(1, message({ type: enumeration(1, controllerCapabilities) })),
});

const Confirmed = message({
  volumeContext: map(1, string, string),
  volumeCapabilities: repeated(nested(2, VolumeCapability)),
  parameters: map(3, string, string),
});

export const controllerService = service("csi.v1.Controller", {
  CreateVolume: unary(
    message({
      name: string(1),
      capacityRange: nested(2, CapacityRange),
      volumeCapabilities: repeated(nested(3, VolumeCapability)),
      parameters: map(4, string, string),
      volumeContentSource: nested(6, VolumeContentSource),
      accessibilityRequirements: nested(7, TopologyRequirement),
    }),
    message({ volume: nested(1, Volume) }),
  ),
  DeleteVolume: unary(message({ volumeId: string(1) }), Empty),
  ValidateVolumeCapabilities: unary(
    message({
      volumeId: string(1),
      volumeContext: map(2, string, string),
      volumeCapabilities: repeated(nested(3, VolumeCapability)),
      parameters: map(4, string, string),
    }),
    message({ confirmed: nested(1, Confirmed), message: string(2) }),
  ),
  ListVolumes: unary(
    message({ maxEntries: int32(1), startingToken: string(2) }),
    message({
      entries: repeated(nested(1, message({ volume: nested(1, Volume) }))),
      nextToken: string(2),
    }),
  ),
  GetCapacity: unary(
    message({
      volumeCapabilities: repeated(nested(1, VolumeCapability)),
      parameters: map(2, string, string),
      accessibleTopology: nested(3, Topology),
    }),
    message({
      availableCapacity: int64(1),
      maximumVolumeSize: nested(2, message({ value: int64(1) })),
    }),
  ),
  ControllerGetCapabilities: unary(
    Empty,
    message({ capabilities: repeated(nested(1, ControllerCapability)) }),
  ),
  CreateSnapshot: unary(
    message({ sourceVolumeId: string(1), name: string(2), parameters: map(4, string, string) }),
    message({ snapshot: nested(1, Snapshot) }),
  ),
  DeleteSnapshot: unary(message({ snapshotId: string(1) }), Empty),
  ListSnapshots: unary(
    message({
      maxEntries: int32(1),
      startingToken: string(2),
      sourceVolumeId: string(3),
      snapshotId: string(4),
    }),
    message({
      entries: repeated(nested(1, message({ snapshot: nested(1, Snapshot) }))),
      nextToken: string(2),
    }),
  ),
});
