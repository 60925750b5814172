import type { controllerService } from "#/machinery/csi/csi-controller-service.ts";
import type { RequestOut } from "#/std/grpc/grpc.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import type { Handlers } from "#/std/grpc/grpc-server.ts";
import { enforcedKey, nodeKey } from "../base/names.ts";
import type { Pool } from "../pool/pool.ts";
import type { ContentSource, SnapshotRecord, VolumeRecord } from "../pool/volume-record.ts";
import { capabilityProblem, page, required, sizeFor, wantedBy } from "./check-request.ts";

type Requests = (typeof controllerService)["methods"];
type CreateVolumeRequest = RequestOut<Requests["CreateVolume"]>;

export type ControllerHandlers = Handlers<typeof controllerService>;

/** The CSI controller service, for the volumes of one node. */
export function controllerOf(pool: Pool, nodeName: string): ControllerHandlers {
  const volumeOf = (record: VolumeRecord) => ({
    volumeId: record.id,
    capacityBytes: record.capacityBytes,
    volumeContext: { [enforcedKey]: String(pool.enforcesSizeOf(record)) },
    accessibleTopology: [{ segments: { [nodeKey]: nodeName } }],
    ...(record.source && {
      contentSource:
        record.source.snapshot === undefined
          ? { volume: { volumeId: record.source.volume } }
          : { snapshot: { snapshotId: record.source.snapshot } },
    }),
  });
  return {
    async CreateVolume(request) {
      return { volume: volumeOf(await createVolume(pool, request, nodeName)) };
    },
    async DeleteVolume({ volumeId }) {
      required({ volume_id: volumeId });
      await pool.deleteVolume(volumeId);
      return {};
    },
    async ValidateVolumeCapabilities({ volumeId, volumeCapabilities, ...context }) {
      required({ volume_id: volumeId });
      if (volumeCapabilities.length === 0) required({ volume_capabilities: undefined });
      const { isBlock } = pool.getVolume(volumeId);
      const differs = volumeCapabilities.some(({ block }) => Boolean(block) !== isBlock);
      const problem =
        capabilityProblem(volumeCapabilities) ??
        (differs ? `the volume is ${isBlock ? "a block device" : "a file system"}` : undefined);
      if (problem) return { message: problem };
      const { volumeContext, parameters } = context;
      return { confirmed: { volumeContext, volumeCapabilities, parameters } };
    },
    async ListVolumes(request) {
      const { items, nextToken } = page(pool.volumes, request);
      return { entries: items.map((record) => ({ volume: volumeOf(record) })), nextToken };
    },
    async GetCapacity({ volumeCapabilities, accessibleTopology }) {
      const elsewhere = accessibleTopology && !isHere(accessibleTopology.segments, nodeName);
      if (elsewhere || capabilityProblem(volumeCapabilities)) return { availableCapacity: 0 };
      const value = await pool.availableBytes();
      return { availableCapacity: value, maximumVolumeSize: { value } };
    },
    ControllerGetCapabilities: async () => ({
      capabilities: capabilities.map((type) => ({ rpc: { type } })),
    }),
    async CreateSnapshot({ name, sourceVolumeId }) {
      required({ name, source_volume_id: sourceVolumeId });
      const snapshot = await pool.createSnapshot(name, sourceVolumeId);
      if (snapshot.volumeId === sourceVolumeId) return { snapshot: snapshotOf(snapshot) };
      const message = `snapshot ${name} exists already, of volume ${snapshot.volumeId}`;
      throw new GrpcError("ALREADY_EXISTS", message);
    },
    async DeleteSnapshot({ snapshotId }) {
      required({ snapshot_id: snapshotId });
      await pool.deleteSnapshot(snapshotId);
      return {};
    },
    async ListSnapshots(request) {
      const { snapshotId, sourceVolumeId } = request;
      const chosen = pool.snapshots.filter(
        ({ id, volumeId }) =>
          (snapshotId === "" || snapshotId === id) &&
          (sourceVolumeId === "" || sourceVolumeId === volumeId),
      );
      const { items, nextToken } = page(chosen, request);
      return { entries: items.map((record) => ({ snapshot: snapshotOf(record) })), nextToken };
    },
  };
}

const capabilities = [
  "CREATE_DELETE_VOLUME",
  "LIST_VOLUMES",
  "GET_CAPACITY",
  "CREATE_DELETE_SNAPSHOT",
  "LIST_SNAPSHOTS",
  "CLONE_VOLUME",
  "SINGLE_NODE_MULTI_WRITER",
] as const;

async function createVolume(
  pool: Pool,
  request: CreateVolumeRequest,
  nodeName: string,
): Promise<VolumeRecord> {
  const { name, capacityRange, volumeCapabilities, accessibilityRequirements } = request;
  required({ name });
  const wanted = wantedBy(volumeCapabilities);
  const { requisite = [] } = accessibilityRequirements ?? {};
  if (requisite.length > 0 && !requisite.some(({ segments }) => isHere(segments, nodeName))) {
    throw new GrpcError("RESOURCE_EXHAUSTED", `the volumes of this driver are on ${nodeName}`);
  }
  const source = sourceOf(request);
  const capacityBytes = sizeFor(capacityRange, wanted);
  const limitBytes = capacityRange?.limitBytes || Number.POSITIVE_INFINITY;
  const record = await pool.createVolume({ name, capacityBytes, ...wanted, source });
  const { requiredBytes = 0 } = capacityRange ?? {};
  const isLarge = record.capacityBytes >= requiredBytes && record.capacityBytes <= limitBytes;
  const isSame =
    record.isBlock === wanted.isBlock &&
    record.source?.snapshot === source?.snapshot &&
    record.source?.volume === source?.volume;
  if (isLarge && isSame) return record;
  throw new GrpcError("ALREADY_EXISTS", `volume ${name} exists already, and differs`);
}

function sourceOf({ volumeContentSource }: CreateVolumeRequest): ContentSource | undefined {
  const { snapshot, volume } = volumeContentSource ?? {};
  if (snapshot) return { snapshot: snapshot.snapshotId };
  return volume && { volume: volume.volumeId };
}

/** A topology of other keys says nothing about this driver. */
function isHere(segments: Readonly<Record<string, string>>, nodeName: string): boolean {
  return (segments[nodeKey] ?? nodeName) === nodeName;
}

const snapshotOf = ({ id, volumeId, capacityBytes, createdMs }: SnapshotRecord) => ({
  snapshotId: id,
  sourceVolumeId: volumeId,
  sizeBytes: capacityBytes,
  creationTime: { seconds: Math.floor(createdMs / 1000), nanos: (createdMs % 1000) * 1e6 },
  readyToUse: true,
});
