/** Upstream: github.com/kubernetes-csi/external-snapshotter/pkg/common-controller/snapshot_controller.go. */
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { keyOf, refOf } from "#/client/object-key.ts";
import { type ControllerContext, controller, watch } from "#/controller/controller.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import {
  beingDeleted,
  boundSnapshotFinalizer,
  claimFinalizer,
  defaultClassAnnotation,
  sourceSnapshotFinalizer,
} from "../base/annotations.ts";
import {
  type VolumeSnapshot,
  type VolumeSnapshotClass,
  type VolumeSnapshotContent,
  volumeSnapshotClasses,
  volumeSnapshotContents,
  volumeSnapshots,
} from "../base/snapshot-objects.ts";
import { addFinalizer, removeFinalizer } from "./finalizers.ts";
import { contentNameOf, isBound, planContent, planSnapshotStatus } from "./plan-snapshot.ts";
import { sourceOfClaim } from "./volume-source.ts";

const retry = {
  backoff: exponentialBackoff({ baseMs: 1_000, maxMs: 300_000 }),
  rate: "unlimited",
} as const;

/** Binds snapshots to contents, which it makes for those of claims. It serves the snapshots of every driver. */
export const snapshotController = controller<VolumeSnapshot>({
  name: "snapshot-controller",
  for: volumeSnapshots,
  watches: [
    watch(volumeSnapshotContents, ({ spec: { volumeSnapshotRef: to } }) => [
      `${to.namespace}/${to.name}`,
    ]),
    watch(persistentVolumeClaims, (claim) => {
      const source = sourceOfClaim(claim);
      return source.kind === "snapshot" ? [`${claim.metadata.namespace}/${source.name}`] : [];
    }),
  ],
  reads: [volumeSnapshotClasses, persistentVolumes],
  retry,
  reconcile,
  async gone({ namespace }, context) {
    await releaseClaims(namespace ?? "", context);
  },
});

/** A failure that the status and an event of the snapshot show. */
class SnapshotFailure extends Error {
  override readonly name = "SnapshotFailure";
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

async function reconcile(snapshot: VolumeSnapshot, context: ControllerContext): Promise<void> {
  const { client, informers } = context;
  const contents = informers.informer(volumeSnapshotContents).store;
  const content = contents.get("", contentNameOf(snapshot));
  if (snapshot.metadata.deletionTimestamp) return await remove(snapshot, content, context);
  try {
    const chosen = await withClass(snapshot, context);
    const bound = await addFinalizer(client, volumeSnapshots, chosen, boundSnapshotFinalizer);
    const held = await addFinalizer(client, volumeSnapshots, bound, sourceSnapshotFinalizer);
    const found = held.spec.source.persistentVolumeClaimName
      ? await ensureContent(held, content, context)
      : await bindContent(held, content, context);
    await writeStatus(held, found, context);
    if (found.status?.readyToUse) await releaseClaims(held.metadata.namespace ?? "", context);
  } catch (error) {
    if (error instanceof SnapshotFailure) await writeFailure(snapshot, error, context);
    throw error;
  }
}

/** A snapshot without a class gets the default one of its driver. */
async function withClass(
  snapshot: VolumeSnapshot,
  context: ControllerContext,
): Promise<VolumeSnapshot> {
  const { spec, metadata } = snapshot;
  if (spec.volumeSnapshotClassName || !spec.source.persistentVolumeClaimName) return snapshot;
  const failed = (why: string) =>
    new SnapshotFailure(
      "SetDefaultSnapshotClassFailed",
      `Failed to set default snapshot class with error ${why}`,
    );
  const driver = volumeOf(snapshot, context, failed).volume.spec.csi?.driver;
  const classes = context.informers.informer(volumeSnapshotClasses).store.list();
  const defaults = classes.filter(
    (one) => one.driver === driver && one.metadata.annotations?.[defaultClassAnnotation] === "true",
  );
  if (defaults.length === 0) throw failed("cannot find default snapshot class");
  if (defaults.length > 1) {
    throw failed(`${defaults.length} default snapshot classes were found`);
  }
  const patch = {
    metadata: { resourceVersion: metadata.resourceVersion },
    spec: { volumeSnapshotClassName: defaults[0]?.metadata.name },
  };
  return await context.client.patch(volumeSnapshots, refOf(snapshot), patch, { type: "merge" });
}

/** The claim of a snapshot, and its volume. */
function volumeOf(
  { metadata, spec }: VolumeSnapshot,
  { informers }: ControllerContext,
  failed: (why: string) => SnapshotFailure,
): { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume } {
  const name = spec.source.persistentVolumeClaimName ?? "";
  const claims = informers.informer(persistentVolumeClaims).store;
  const claim = claims.get(metadata.namespace ?? "", name);
  if (!claim) {
    throw failed(
      `failed to retrieve PVC ${name} from the lister: "persistentvolumeclaim \\"${name}\\" not found"`,
    );
  }
  const { volumeName = "" } = claim.spec;
  if (claim.status?.phase !== "Bound" || !volumeName) {
    throw failed(`the PVC ${name} is not yet bound to a PV, will not attempt to take a snapshot`);
  }
  const volume = informers.informer(persistentVolumes).store.get("", volumeName);
  if (!volume) throw failed(`failed to retrieve PV ${volumeName} from the API server`);
  if (!volume.spec.csi)
    throw failed(`cannot find CSI PersistentVolumeSource for volume ${volumeName}`);
  return { claim, volume };
}

async function ensureContent(
  snapshot: VolumeSnapshot,
  found: VolumeSnapshotContent | undefined,
  context: ControllerContext,
): Promise<VolumeSnapshotContent> {
  if (found) return requireBound(found, snapshot);
  if (snapshot.status?.boundVolumeSnapshotContentName) {
    throw new SnapshotFailure("SnapshotContentMissing", "VolumeSnapshotContent is missing");
  }
  const failed = (why: string) =>
    new SnapshotFailure(
      "SnapshotContentCreationFailed",
      `Failed to create snapshot content with error ${why}`,
    );
  const { client, informers, recorder } = context;
  const { claim, volume } = volumeOf(snapshot, context, failed);
  const className = snapshot.spec.volumeSnapshotClassName ?? "";
  const snapshotClass = informers.informer(volumeSnapshotClasses).store.get("", className);
  checkClass(snapshotClass, className, volume, failed);
  if (claim.metadata.deletionTimestamp) {
    throw failed(`PVC ${claim.metadata.name} is being deleted`);
  }
  await addFinalizer(client, persistentVolumeClaims, claim, claimFinalizer);
  const content = await client.create(
    volumeSnapshotContents,
    planContent(snapshot, snapshotClass, volume),
  );
  const message = `Waiting for a snapshot ${keyOf(snapshot)} to be created by the CSI driver.`;
  recorder.event(snapshot, "Normal", "CreatingSnapshot", message);
  return content;
}

function checkClass(
  snapshotClass: VolumeSnapshotClass | undefined,
  name: string,
  { spec }: PersistentVolume,
  failed: (why: string) => SnapshotFailure,
): asserts snapshotClass is VolumeSnapshotClass {
  if (!snapshotClass)
    throw failed(`volumesnapshotclass.snapshot.storage.k8s.io "${name}" not found`);
  if (snapshotClass.driver === spec.csi?.driver) return;
  throw failed(
    `snapshot class ${name} is of driver ${snapshotClass.driver}, the volume of ${spec.csi?.driver}`,
  );
}

/** Binds a snapshot to a content that an administrator has made. */
async function bindContent(
  snapshot: VolumeSnapshot,
  content: VolumeSnapshotContent | undefined,
  { client }: ControllerContext,
): Promise<VolumeSnapshotContent> {
  if (!content) {
    throw new SnapshotFailure("SnapshotContentMissing", "VolumeSnapshotContent is missing");
  }
  const { namespace, name, uid } = content.spec.volumeSnapshotRef;
  const isNamed = namespace === snapshot.metadata.namespace && name === snapshot.metadata.name;
  if (!isNamed || uid) return requireBound(content, snapshot);
  const { resourceVersion } = content.metadata;
  const volumeSnapshotRef = { ...content.spec.volumeSnapshotRef, uid: snapshot.metadata.uid };
  const patch = { metadata: { resourceVersion }, spec: { volumeSnapshotRef } };
  return await client.patch(volumeSnapshotContents, refOf(content), patch, { type: "merge" });
}

function requireBound(
  content: VolumeSnapshotContent,
  snapshot: VolumeSnapshot,
): VolumeSnapshotContent {
  if (isBound(content, snapshot)) return content;
  throw new SnapshotFailure(
    "SnapshotContentMisbound",
    `VolumeSnapshotContent ${content.metadata.name} is bound to a different snapshot`,
  );
}

async function writeStatus(
  snapshot: VolumeSnapshot,
  content: VolumeSnapshotContent,
  { client, recorder }: ControllerContext,
): Promise<void> {
  const status = planSnapshotStatus(content);
  const before = { error: null, ...snapshot.status };
  if (deepEqual(before, { ...before, ...status })) return;
  const key = keyOf(snapshot);
  if (!snapshot.status?.creationTime && status.creationTime) {
    const message = `Snapshot ${key} was successfully created by the CSI driver.`;
    recorder.event(snapshot, "Normal", "SnapshotCreated", message);
  }
  if (!snapshot.status?.readyToUse && status.readyToUse) {
    recorder.event(snapshot, "Normal", "SnapshotReady", `Snapshot ${key} is ready to use.`);
  }
  await client.patchStatus(volumeSnapshots, refOf(snapshot), { status });
}

async function writeFailure(
  snapshot: VolumeSnapshot,
  { reason, message }: SnapshotFailure,
  { client, clock, recorder }: ControllerContext,
): Promise<void> {
  if (snapshot.status?.error?.message === message) return;
  recorder.event(snapshot, "Warning", reason, message);
  const error = { message, time: formatTime(clock.now()) };
  await client.patchStatus(volumeSnapshots, refOf(snapshot), {
    status: { error, readyToUse: false },
  });
}

/** Deletes the content of a snapshot, if its policy says so, and lets go of the snapshot. */
async function remove(
  snapshot: VolumeSnapshot,
  found: VolumeSnapshotContent | undefined,
  context: ControllerContext,
): Promise<void> {
  const { client, informers, recorder } = context;
  const content = found && isBound(found, snapshot) ? found : undefined;
  const { namespace = "", name } = snapshot.metadata;
  const claims = informers.informer(persistentVolumeClaims).store.list();
  const isRestored = claims.some((claim) => {
    const source = sourceOfClaim(claim);
    const isPending = claim.status?.phase === "Pending" && claim.metadata.namespace === namespace;
    return isPending && source.kind === "snapshot" && source.name === name;
  });
  if (content && isRestored) {
    const message = "Snapshot is being used to restore a PVC";
    recorder.event(snapshot, "Warning", "SnapshotDeletePending", message);
    return;
  }
  if (content) {
    const patch = { metadata: { annotations: { [beingDeleted]: "yes" } } };
    await client.patch(volumeSnapshotContents, refOf(content), patch, { type: "merge" });
    if (content.spec.deletionPolicy === "Delete") {
      await client.delete(volumeSnapshotContents, refOf(content)).catch(ignoreNotFound);
    }
  }
  const rest = await removeFinalizer(client, volumeSnapshots, snapshot, sourceSnapshotFinalizer);
  // A content with the policy Delete is waited for.
  if (content?.spec.deletionPolicy === "Delete") return;
  await removeFinalizer(client, volumeSnapshots, rest, boundSnapshotFinalizer);
}

/** Lets go of claims of which no snapshot is being made any more. */
async function releaseClaims(namespace: string, { client, informers }: ControllerContext) {
  const snapshots = informers.informer(volumeSnapshots).store.list();
  const claims = informers.informer(persistentVolumeClaims).store.list();
  for (const claim of claims) {
    const { metadata } = claim;
    if (metadata.namespace !== namespace || !metadata.finalizers?.includes(claimFinalizer))
      continue;
    const isUsed = snapshots.some(
      (one) =>
        one.metadata.namespace === namespace &&
        one.spec.source.persistentVolumeClaimName === metadata.name &&
        one.metadata.deletionTimestamp === undefined &&
        !one.status?.readyToUse,
    );
    if (!isUsed) await removeFinalizer(client, persistentVolumeClaims, claim, claimFinalizer);
  }
}
