/** Upstream: pkg/controller/volume/persistentvolume/pv_controller.go (reclaimVolume). */
import { type PersistentVolume, persistentVolumes } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { setVolumePhase } from "./bind.ts";
import { deleterOf, isMigrated, removeHostPath } from "./in-tree.ts";
import { deletionFinalizer } from "./provision.ts";

type Context = Pick<ControllerContext, "client" | "recorder">;

/** Applies the reclaim policy of a released volume. */
export async function reclaim(given: PersistentVolume, context: Context): Promise<void> {
  const { phase } = given.status ?? {};
  // The Failed phase stays visible, and is retried.
  const isReleased = phase === "Released" || phase === "Failed";
  const volume = isReleased ? given : await setVolumePhase(given, "Released", context);
  if (isMigrated(volume)) return;
  const policy = volume.spec.persistentVolumeReclaimPolicy ?? "Retain";
  if (policy === "Delete") await deleteVolume(volume, context);
  if (policy === "Recycle") {
    const problem = "No recycler plugin found for the volume!";
    await fail(volume, "VolumeFailedRecycle", problem, context);
  }
}

async function deleteVolume(volume: PersistentVolume, context: Context): Promise<void> {
  const { client } = context;
  try {
    if (deleterOf(volume) === "external") return;
    await removeHostPath(volume);
  } catch (error) {
    await fail(volume, "VolumeFailedDelete", (error as Error).message, context);
    return;
  }
  const finalizers = volume.metadata.finalizers ?? [];
  if (finalizers.includes(deletionFinalizer)) {
    const others = finalizers.filter((one) => one !== deletionFinalizer);
    const metadata = { ...volume.metadata, finalizers: others };
    await client.update(persistentVolumes, { ...volume, metadata });
  }
  await client.delete(persistentVolumes, refOf(volume)).catch(ignoreNotFound);
}

async function fail(
  volume: PersistentVolume,
  reason: string,
  message: string,
  context: Context,
): Promise<void> {
  if (volume.status?.phase === "Failed") return;
  const failed = await setVolumePhase(volume, "Failed", context, message);
  context.recorder.event(failed, "Warning", reason, message);
}
