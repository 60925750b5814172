/** Upstream: sigs.k8s.io/sig-storage-lib-external-provisioner/controller/controller.go (deleteVolumeOperation). */
import { type PersistentVolume, persistentVolumes } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { type ControllerContext, controller, watch } from "#/controller/controller.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { identityKey, ownIdentity, providedLabel, volumeFinalizer } from "../base/annotations.ts";
import { localVolumes } from "../base/custom-objects.ts";
import { driverName } from "../base/names.ts";
import { removeFinalizer } from "./finalizers.ts";
import { describeNodeError } from "./plan-volume.ts";

/** Limit of volumes at a time: each waits for its node. */
const workers = 50;

/** Deletes the volumes of released PersistentVolumes, and then these. */
export const reclaimer = controller<PersistentVolume>({
  name: "local-volume-reclaimer",
  eventSource: driverName,
  for: persistentVolumes,
  watches: [watch(localVolumes, ({ metadata }) => [metadata.name ?? ""])],
  workers,
  reconcile,
});

async function reconcile(volume: PersistentVolume, context: ControllerContext): Promise<void> {
  const { client, informers, recorder } = context;
  const { csi } = volume.spec;
  if (csi?.driver !== driverName || csi.volumeAttributes?.[identityKey] !== ownIdentity) return;
  const local = informers.informer(localVolumes).store.get("", csi.volumeHandle);
  if (!isToBeDeleted(volume)) {
    if (!local || local.metadata.labels?.[providedLabel]) return;
    const patch = { metadata: { labels: { [providedLabel]: "true" } } };
    await client.patch(localVolumes, refOf(local), patch, { type: "merge" });
    return;
  }
  if (local) {
    const { error } = local.status ?? {};
    if (!local.metadata.deletionTimestamp) {
      await client.delete(localVolumes, refOf(local)).catch(ignoreNotFound);
    } else if (error) {
      recorder.event(volume, "Warning", "VolumeFailedDelete", describeNodeError(error));
    }
    return;
  }
  if (!volume.metadata.deletionTimestamp) {
    await client.delete(persistentVolumes, refOf(volume)).catch(ignoreNotFound);
  }
  const current = informers.informer(persistentVolumes).store.get("", volume.metadata.name ?? "");
  if (current) await removeFinalizer(client, persistentVolumes, current, volumeFinalizer);
}

/** Whether the content of a volume has to go: its claim is gone, and its policy says so. */
function isToBeDeleted({ metadata, spec, status }: PersistentVolume): boolean {
  if (spec.persistentVolumeReclaimPolicy !== "Delete") return false;
  // Upstream: a volume whose deletion was requested while it is bound waits for its claim.
  if (status?.phase === "Released" || status?.phase === "Failed") return true;
  const isUnbound = status?.phase === "Available" || status?.phase === "Pending";
  return metadata.deletionTimestamp !== undefined && isUnbound;
}
