/**
 * Upstream: sigs.k8s.io/sig-storage-lib-external-provisioner/controller/controller.go,
 * github.com/kubernetes-csi/external-provisioner/pkg/controller/controller.go.
 */
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { csiStorageCapacities, type StorageClass, storageClasses } from "#/api/storage/v1.ts";
import { refOf } from "#/client/object-key.ts";
import {
  type ControllerContext,
  controller,
  type ReconcileResult,
  watch,
} from "#/controller/controller.ts";
import { isAlreadyExists } from "#/machinery/meta/status-error.ts";
import { claimClass, selectedNodeAnnotation } from "#/machinery/volumes/volume-claims.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import { provisionerAnnotation } from "../base/annotations.ts";
import { type LocalVolume, localVolumes } from "../base/custom-objects.ts";
import { driverName, nodeKey } from "../base/names.ts";
import {
  classProblem,
  describeNodeError,
  planLocalVolume,
  planPersistentVolume,
  volumeNameOf,
} from "./plan-volume.ts";
import { findSource, sourceOfClaim } from "./volume-source.ts";

/** Limit of claims at a time: each waits for writes of the API, and for its node. */
const workers = 100;

/** Limits (ms) of the time between two tries of a claim, as in upstream's provisioner. */
const baseMs = 1_000;
const maxMs = 300_000;
/** Each try has an event, as those of upstream's provisioner. */
const retry = { backoff: exponentialBackoff({ baseMs, maxMs }), rate: "unlimited" } as const;

/** Has nodes make volumes for claims, and publishes them as PersistentVolumes. */
export const provisioner = controller<PersistentVolumeClaim>({
  name: "local-volume-provisioner",
  eventSource: driverName,
  for: persistentVolumeClaims,
  watches: [watch(localVolumes, ({ spec }) => [spec.claim])],
  reads: [storageClasses, persistentVolumes, csiStorageCapacities],
  workers,
  retry,
  predicate: (now) => now?.metadata.annotations?.[provisionerAnnotation] === driverName,
  reconcile,
});

async function reconcile(
  claim: PersistentVolumeClaim,
  context: ControllerContext,
): Promise<ReconcileResult> {
  const { informers } = context;
  const { annotations = {}, deletionTimestamp } = claim.metadata;
  if (annotations[provisionerAnnotation] !== driverName) return;
  if (claim.spec.volumeName || deletionTimestamp) return;
  const name = volumeNameOf(claim);
  if (informers.informer(persistentVolumes).store.get("", name)) return;
  const storageClass = informers.informer(storageClasses).store.get("", claimClass(claim));
  const late = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  if (late && !annotations[selectedNodeAnnotation]) return;
  if (sourceOfClaim(claim).kind === "other") return;
  try {
    if (!storageClass) throw new Error(`storageclass "${claimClass(claim)}" not found`);
    const problem = classProblem(storageClass);
    if (problem) throw new Error(problem);
    return await provision(claim, storageClass, context);
  } catch (error) {
    reportFailure(claim, (error as Error).message, context);
    throw error;
  }
}

function reportFailure(
  claim: PersistentVolumeClaim,
  message: string,
  { recorder }: ControllerContext,
): void {
  const text = `failed to provision volume with StorageClass "${claimClass(claim)}": ${message}`;
  recorder.event(claim, "Warning", "ProvisioningFailed", text);
}

async function provision(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  context: ControllerContext,
): Promise<ReconcileResult> {
  const { client, informers, recorder } = context;
  const name = volumeNameOf(claim);
  const local = informers.informer(localVolumes).store.get("", name);
  const { namespace, name: claimName } = claim.metadata;
  if (!local) {
    const place = await choosePlace(claim, storageClass, context);
    const message = `External provisioner is provisioning volume for claim "${namespace}/${claimName}"`;
    recorder.event(claim, "Normal", "Provisioning", message);
    await client.create(localVolumes, planLocalVolume(claim, storageClass, place));
    return;
  }
  // The failed one is being removed; then the next try begins.
  if (local.metadata.deletionTimestamp) return;
  if (local.status?.phase === "Failed") return await giveUp(claim, storageClass, local, context);
  if (local.status?.phase !== "Ready") {
    const { error } = local.status ?? {};
    if (error) throw new Error(describeNodeError(error));
    return;
  }
  await client
    .create(persistentVolumes, planPersistentVolume(claim, storageClass, local))
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  recorder.event(
    claim,
    "Normal",
    "ProvisioningSucceeded",
    `Successfully provisioned volume ${name}`,
  );
  if (local.status.context?.[`${driverName}/size-enforced`] !== "false") return;
  const reason = "the node has no loop devices";
  const text = `the size of volume ${name} is not enforced: ${reason}`;
  recorder.event(claim, "Warning", "SizeNotEnforced", text);
}

/**
 * Removes a volume that its node could not make, so that the next try begins; the scheduler chooses again if the node is full.
 * Tries get rarer as the claim gets older: nothing has to be remembered.
 */
async function giveUp(
  claim: PersistentVolumeClaim,
  { volumeBindingMode }: StorageClass,
  local: LocalVolume,
  context: ControllerContext,
): Promise<ReconcileResult> {
  const { client, clock } = context;
  const error = local.status?.error ?? { code: "UNKNOWN", message: "no reason" };
  const ageMs = (object: LocalVolume | PersistentVolumeClaim): number =>
    clock.now() - Date.parse(object.metadata.creationTimestamp ?? "");
  const intervalMs = Math.min(Math.max(ageMs(claim) / 2, baseMs), maxMs);
  const waitMs = intervalMs - ageMs(local);
  reportFailure(claim, describeNodeError(error), context);
  if (waitMs > 0) return { afterMs: waitMs };
  await client.delete(localVolumes, refOf(local));
  if (error.code === "RESOURCE_EXHAUSTED" && volumeBindingMode === "WaitForFirstConsumer") {
    await reschedule(claim, client);
  }
}

/** Has the scheduler choose a node again. */
async function reschedule(claim: PersistentVolumeClaim, client: ControllerContext["client"]) {
  const { resourceVersion } = claim.metadata;
  const annotations = { [selectedNodeAnnotation]: null };
  const patch = { metadata: { resourceVersion, annotations } };
  await client.patch(persistentVolumeClaims, refOf(claim), patch, { type: "merge" });
}

/**
 * The node of a new volume, with the content that it begins with. A copy is on the node of its source, whichever the scheduler
 * has selected: it schedules the Pod again when the claim is bound elsewhere.
 */
async function choosePlace(
  claim: PersistentVolumeClaim,
  { metadata }: StorageClass,
  { client, informers }: ControllerContext,
) {
  const selected = claim.metadata.annotations?.[selectedNodeAnnotation];
  const found = await findSource(client, claim);
  const nodeName = found?.nodeName ?? selected ?? roomiestNode(informers, metadata.name ?? "");
  return { nodeName, source: found?.source };
}

/** The node with the most room. */
function roomiestNode(informers: ControllerContext["informers"], storageClass: string): string {
  const items = informers.informer(csiStorageCapacities).store.list();
  const places = items.flatMap(({ storageClassName, nodeTopology, capacity }) => {
    const nodeName = nodeTopology?.matchLabels?.[nodeKey];
    if (storageClassName !== storageClass || !nodeName) return [];
    return [{ nodeName, bytes: Number(capacity ?? 0) }];
  });
  const [first] = places.sort((a, b) => b.bytes - a.bytes);
  if (first) return first.nodeName;
  throw new Error(`no node has volumes of StorageClass "${storageClass}"`);
}
