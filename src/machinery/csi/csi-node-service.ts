/** Upstream: github.com/container-storage-interface/spec/csi.proto. Messages are declared as far as they are used. */
import { service, unary } from "#/std/grpc/grpc.ts";
import { map, message, nested, repeated } from "#/std/protobuf/protobuf.ts";
import { bool, enumeration, int64, string } from "#/std/protobuf/protobuf-field.ts";
import { CapacityRange, Empty, Topology, VolumeCapability } from "./csi-messages.ts";

const capabilities = {
  UNKNOWN: 0,
  STAGE_UNSTAGE_VOLUME: 1,
  GET_VOLUME_STATS: 2,
  EXPAND_VOLUME: 3,
  VOLUME_CONDITION: 4,
  SINGLE_NODE_MULTI_WRITER: 5,
  VOLUME_MOUNT_GROUP: 6,
} as const;

const Capability = message({
  rpc: nested(1, message({ type: enumeration(1, capabilities) })),
});

const VolumeUsage = message({
  available: int64(1),
  total: int64(2),
  used: int64(3),
  unit: enumeration(4, { UNKNOWN: 0, BYTES: 1, INODES: 2 }),
});

export const nodeService = service("csi.v1.Node", {
  NodeStageVolume: unary(
    message({
      volumeId: string(1),
      publishContext: map(2, string, string),
      stagingTargetPath: string(3),
      volumeCapability: nested(4, VolumeCapability),
      secrets: map(5, string, string),
      volumeContext: map(6, string, string),
    }),
    Empty,
  ),
  NodeUnstageVolume: unary(message({ volumeId: string(1), stagingTargetPath: string(2) }), Empty),
  NodePublishVolume: unary(
    message({
      volumeId: string(1),
      publishContext: map(2, string, string),
      stagingTargetPath: string(3),
      targetPath: string(4),
      volumeCapability: nested(5, VolumeCapability),
      readonly: bool(6),
      secrets: map(7, string, string),
      volumeContext: map(8, string, string),
    }),
    Empty,
  ),
  NodeUnpublishVolume: unary(message({ volumeId: string(1), targetPath: string(2) }), Empty),
  NodeGetVolumeStats: unary(
    message({ volumeId: string(1), volumePath: string(2), stagingTargetPath: string(3) }),
    message({ usage: repeated(nested(1, VolumeUsage)) }),
  ),
  NodeExpandVolume: unary(
    message({
      volumeId: string(1),
      volumePath: string(2),
      capacityRange: nested(3, CapacityRange),
      stagingTargetPath: string(4),
      volumeCapability: nested(5, VolumeCapability),
      secrets: map(6, string, string),
    }),
    message({ capacityBytes: int64(1) }),
  ),
  NodeGetCapabilities: unary(Empty, message({ capabilities: repeated(nested(1, Capability)) })),
  NodeGetInfo: unary(
    Empty,
    message({
      nodeId: string(1),
      maxVolumesPerNode: int64(2),
      accessibleTopology: nested(3, Topology),
    }),
  ),
});
