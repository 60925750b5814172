/** Upstream: github.com/kubernetes-csi/external-resizer/pkg/controller/{controller,expand_and_recover}.go. */
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { csiStorageCapacities } from "#/api/storage/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { type ControllerContext, controller } from "#/controller/controller.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { parseQuantity, type Quantity, zeroQuantity } from "#/machinery/values/quantity.ts";
import { planResizePatch, resizeStatusOf } from "#/machinery/volumes/claim-resize.ts";
import { requestedStorage, volumeCapacity } from "#/machinery/volumes/match-volume.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import { driverName, nodeKey } from "../base/names.ts";

/** Each try has an event, as those of upstream's resizer. */
const retry = {
  backoff: exponentialBackoff({ baseMs: 1_000, maxMs: 300_000 }),
  rate: "unlimited",
} as const;

const pending =
  "Waiting for user to (re-)start a pod to finish file system resize of volume on node.";

/** Gives volumes the size that their claims request; the kubelet of the node then has the driver make them larger. */
export const resizer = controller<PersistentVolumeClaim>({
  name: "local-volume-resizer",
  eventSource: driverName,
  for: persistentVolumeClaims,
  reads: [persistentVolumes],
  retry,
  predicate: (now) => now !== undefined && wantsMore(now),
  reconcile,
});

const capacityOf = ({ status }: PersistentVolumeClaim): Quantity => {
  const text = status?.capacity?.["storage"];
  return text === undefined ? zeroQuantity : parseQuantity(text);
};

const wantsMore = (claim: PersistentVolumeClaim): boolean =>
  claim.status?.phase === "Bound" && requestedStorage(claim).compare(capacityOf(claim)) > 0;

async function reconcile(claim: PersistentVolumeClaim, context: ControllerContext): Promise<void> {
  const { client, clock, informers, recorder } = context;
  if (!wantsMore(claim)) return;
  const volume = informers.informer(persistentVolumes).store.get("", claim.spec.volumeName ?? "");
  const { csi, claimRef } = volume?.spec ?? {};
  if (!volume || csi?.driver !== driverName || claimRef?.uid !== claim.metadata.uid) return;
  const wanted = requestedStorage(claim);
  const step = resizeStatusOf(claim);
  const isInfeasible = step === "NodeResizeInfeasible";
  // The driver refuses this size: a smaller one may be possible.
  if (isInfeasible && claim.status?.allocatedResources?.["storage"] === wanted.toString()) return;
  const order = volumeCapacity(volume).compare(wanted);
  const isSet = isInfeasible ? order === 0 : order >= 0;
  // The kubelet works on it.
  if (isSet && step !== undefined && !isInfeasible) return;
  const name = volume.metadata.name ?? "";
  recorder.event(claim, "Normal", "Resizing", `External resizer is resizing volume ${name}`);
  try {
    if (!isSet) {
      await checkRoom(volume, wanted, context);
      const patch = { spec: { capacity: { storage: wanted.toString() } } };
      await client.patch(persistentVolumes, refOf(volume), patch, { type: "merge" });
    }
    const patch = planResizePatch(claim, {
      status: "NodeResizePending",
      allocated: wanted.toString(),
      condition: { type: "FileSystemResizePending", message: pending },
      nowText: formatTime(clock.now()),
    });
    await client.patchStatus(persistentVolumeClaims, refOf(claim), patch);
    const message = "Require file system resize of volume on node";
    recorder.event(claim, "Normal", "FileSystemResizeRequired", message);
  } catch (error) {
    const text = `resize volume "${name}" by resizer "${driverName}" failed: ${(error as Error).message}`;
    recorder.event(claim, "Warning", "VolumeResizeFailed", text);
    throw error;
  }
}

/** Throws if the node of a volume has no room for it. */
async function checkRoom(
  volume: PersistentVolume,
  wanted: Quantity,
  { client }: ControllerContext,
): Promise<void> {
  const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const node = terms
    .flatMap(({ matchExpressions = [] }) => matchExpressions)
    .find(({ key }) => key === nodeKey)?.values?.[0];
  const { items } = await client.list(csiStorageCapacities);
  const found = items.find(
    ({ storageClassName, nodeTopology }) =>
      storageClassName === volume.spec.storageClassName &&
      nodeTopology?.matchLabels?.[nodeKey] === node,
  );
  if (!found?.capacity) return;
  const more = wanted.sub(volumeCapacity(volume));
  if (more.compare(parseQuantity(found.capacity)) <= 0) return;
  throw new Error(`node ${node} has ${found.capacity} bytes left, ${more.value()} are requested`);
}
