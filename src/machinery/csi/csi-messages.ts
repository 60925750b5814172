/** Upstream: github.com/container-storage-interface/spec/csi.proto. Messages are declared as far as they are used. */
import { type Encodable, map, message, nested, repeated } from "#/std/protobuf/protobuf.ts";
import { enumeration, int64, string } from "#/std/protobuf/protobuf-field.ts";

export const Empty = message({});

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

export const VolumeCapability = message({
  block: nested(1, message({})),
  mount: nested(
    2,
    message({ fsType: string(1), mountFlags: repeated(string(2)), volumeMountGroup: string(3) }),
  ),
  accessMode: nested(3, message({ mode: enumeration(1, accessModes) })),
});
export type VolumeCapability = Encodable<typeof VolumeCapability>;

export const CapacityRange = message({ requiredBytes: int64(1), limitBytes: int64(2) });

export const Topology = message({ segments: map(1, string, string) });

/** The origin of a volume's content: a snapshot or another volume. */
export const VolumeContentSource = message({
  snapshot: nested(1, message({ snapshotId: string(1) })),
  volume: nested(2, message({ volumeId: string(1) })),
});

export const Volume = message({
  capacityBytes: int64(1),
  volumeId: string(2),
  volumeContext: map(3, string, string),
  contentSource: nested(4, VolumeContentSource),
  accessibleTopology: repeated(nested(5, Topology)),
});
