/** Upstream: pkg/controller/volume/expand/expand_controller.go. */
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { keyOf, refOf } from "#/client/object-key.ts";
import { type ControllerContext, controller } from "#/controller/controller.ts";
import { parseQuantity, type Quantity, zeroQuantity } from "#/machinery/values/quantity.ts";
import { requestedStorage } from "#/machinery/volumes/match-volume.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { migratedPluginOf } from "../base/migrated-plugins.ts";

const resizerAnnotation = "volume.kubernetes.io/storage-resizer";
const preResizeCapacity = "volume.alpha.kubernetes.io/pre-resize-capacity";

function currentStorage({ status }: PersistentVolumeClaim): Quantity {
  const text = status?.capacity?.["storage"];
  return text === undefined ? zeroQuantity : parseQuantity(text);
}

/** Requests the expansion of the volumes of claims that request more, by their drivers. */
export const volumeExpandController = controller<PersistentVolumeClaim, ManagerOptions>({
  name: "persistentvolume-expander-controller",
  eventSource: "volume_expand",
  for: persistentVolumeClaims,
  queue: "volume_expand",
  workers: 10,
  reads: [persistentVolumes],
  predicate: (now, old) =>
    now?.status?.phase === "Bound" &&
    (old?.status?.phase !== "Bound" ||
      requestedStorage(now).compare(requestedStorage(old)) > 0 ||
      currentStorage(now).compare(currentStorage(old)) > 0),
  reconcile,
});

async function reconcile(
  claim: PersistentVolumeClaim,
  { client, informers, recorder }: ControllerContext<ManagerOptions>,
): Promise<void> {
  const { namespace, uid } = claim.metadata;
  if (claim.status?.phase !== "Bound") return;
  const volume = informers.informer(persistentVolumes).store.get("", claim.spec.volumeName ?? "");
  const { claimRef } = volume?.spec ?? {};
  if (!volume || claimRef?.namespace !== namespace || claimRef?.uid !== uid) {
    throw new Error(`persistent Volume is not bound to PVC being updated : ${keyOf(claim)}`);
  }
  const isLarger = requestedStorage(claim).compare(currentStorage(claim)) > 0;
  if (!isLarger && volume.metadata.annotations?.[preResizeCapacity] === undefined) return;
  const plugin = migratedPluginOf(volume);
  if (!plugin) {
    const message = "waiting for an external controller to expand this PVC";
    recorder.event(claim, "Normal", "ExternalExpanding", message);
    return;
  }
  const message = `CSI migration enabled for ${plugin.name}; waiting for external resizer to expand the pvc`;
  recorder.event(claim, "Normal", "ExternalExpanding", message);
  if (claim.metadata.annotations?.[resizerAnnotation] === plugin.driver) return;
  const patch = { metadata: { annotations: { [resizerAnnotation]: plugin.driver } } };
  await client.patchStatus(persistentVolumeClaims, refOf(claim), patch);
}
