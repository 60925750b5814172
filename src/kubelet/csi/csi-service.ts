/** Upstream: github.com/container-storage-interface/spec/csi.proto. Messages are declared as far as they are used. */
import { service, unary } from "#/std/grpc/grpc.ts";
import { type Encodable, map, message, nested, repeated } from "#/std/protobuf/protobuf.ts";
import { bool, enumeration, int64, string } from "#/std/protobuf/protobuf-field.ts";

/** Limit of a call that works on a volume (ms), as upstream's. */
export const callMs = 2 * 60_000;

const Empty = message({});

const accessModes = {
  UNKNOWN: 0,
  SINGLE_NODE_WRITER: 1,
  SINGLE_NODE_READER_ONLY: 2,
  MULTI_NODE_READER_ONLY: 3,
  MULTI_NODE_SINGLE_WRITER: 4,
  MULTI_NODE_MULTI_WRITER: 5,
  SINGLE_NODE_SINGLE_WRITER: 6,
  SINGLE_NODE_MULTI_WRITER: 7,
} as const;
export type CsiAccessMode = keyof typeof accessModes;

const VolumeCapability = message({
  block: nested(1, message({})),
  mount: nested(
    2,
    message({ fsType: string(1), mountFlags: repeated(string(2)), volumeMountGroup: string(3) }),
  ),
  accessMode: nested(3, message({ mode: enumeration(1, accessModes) })),
});
export type VolumeCapability = Encodable<typeof VolumeCapability>;

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
  NodeGetCapabilities: unary(
    Empty,
    message({
      capabilities: repeated(
        nested(
          1,
          message({
            rpc: nested(
              1,
              message({
                type: enumeration(1, {
                  UNKNOWN: 0,
                  STAGE_UNSTAGE_VOLUME: 1,
                  GET_VOLUME_STATS: 2,
                  EXPAND_VOLUME: 3,
                  VOLUME_CONDITION: 4,
                  SINGLE_NODE_MULTI_WRITER: 5,
                  VOLUME_MOUNT_GROUP: 6,
                }),
              }),
            ),
          }),
        ),
      ),
    }),
  ),
  NodeGetInfo: unary(
    Empty,
    message({
      nodeId: string(1),
      maxVolumesPerNode: int64(2),
      accessibleTopology: nested(3, message({ segments: map(1, string, string) })),
    }),
  ),
});

/** Upstream: k8s.io/kubelet/pkg/apis/pluginregistration/v1/api.proto. */
export const registrationService = service("pluginregistration.Registration", {
  GetInfo: unary(
    Empty,
    message({
      type: string(1),
      name: string(2),
      endpoint: string(3),
      supportedVersions: repeated(string(4)),
    }),
  ),
  NotifyRegistrationStatus: unary(message({ pluginRegistered: bool(1), error: string(2) }), Empty),
});
