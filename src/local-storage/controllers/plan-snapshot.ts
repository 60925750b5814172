/** Upstream: github.com/kubernetes-csi/external-snapshotter/pkg/common-controller/snapshot_controller.go. */
import type { PersistentVolume } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { quantityOf } from "#/machinery/values/quantity.ts";
import { contentFinalizer } from "../base/annotations.ts";
import type {
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "../base/snapshot-objects.ts";

const apiVersion = "snapshot.storage.k8s.io/v1";

/** The name of the content of a snapshot that is made for it. */
export const contentNameOf = ({ metadata, spec }: VolumeSnapshot): string =>
  spec.source.volumeSnapshotContentName ?? `snapcontent-${metadata.uid}`;

/** Whether a content and a snapshot name each other. */
export function isBound({ spec }: VolumeSnapshotContent, { metadata }: VolumeSnapshot): boolean {
  const { namespace, name, uid } = spec.volumeSnapshotRef;
  return namespace === metadata.namespace && name === metadata.name && uid === metadata.uid;
}

/** The content by which a driver makes the snapshot of a volume. */
export function planContent(
  snapshot: VolumeSnapshot,
  snapshotClass: VolumeSnapshotClass,
  volume: PersistentVolume,
): VolumeSnapshotContent {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = snapshot.metadata;
  return {
    apiVersion,
    kind: "VolumeSnapshotContent",
    metadata: { name: contentNameOf(snapshot), finalizers: [contentFinalizer] },
    spec: {
      deletionPolicy: snapshotClass.deletionPolicy,
      driver: snapshotClass.driver,
      source: { volumeHandle: volume.spec.csi?.volumeHandle ?? "" },
      sourceVolumeMode: volume.spec.volumeMode ?? "Filesystem",
      volumeSnapshotClassName: snapshotClass.metadata.name ?? "",
      volumeSnapshotRef: {
        apiVersion,
        kind: "VolumeSnapshot",
        namespace,
        name,
        uid,
        resourceVersion,
      },
    },
  };
}

const nsPerMs = 1_000_000;

/** The status of a snapshot, as its content has it. */
export function planSnapshotStatus({
  metadata,
  status = {},
}: VolumeSnapshotContent): NonNullable<VolumeSnapshot["status"]> {
  const { creationTime, restoreSize, readyToUse, error } = status;
  return {
    boundVolumeSnapshotContentName: metadata.name ?? "",
    readyToUse: readyToUse ?? false,
    error: error ?? null,
    ...(creationTime && { creationTime: formatTime(Math.floor(Number(creationTime) / nsPerMs)) }),
    ...(restoreSize && { restoreSize: quantityOf(restoreSize, "BinarySI").toString() }),
  };
}
