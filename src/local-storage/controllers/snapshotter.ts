/** Upstream: github.com/kubernetes-csi/external-snapshotter/pkg/sidecar-controller/snapshot_controller.go. */
import { refOf } from "#/client/object-key.ts";
import { type ControllerContext, controller, watch } from "#/controller/controller.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import { contentFinalizer } from "../base/annotations.ts";
import {
  type LocalSnapshot,
  localFinalizer,
  localGroup,
  localSnapshots,
  localVolumes,
} from "../base/custom-objects.ts";
import { driverName } from "../base/names.ts";
import { type VolumeSnapshotContent, volumeSnapshotContents } from "../base/snapshot-objects.ts";
import { addFinalizer, removeFinalizer } from "./finalizers.ts";
import { describeNodeError } from "./plan-volume.ts";

const retry = {
  backoff: exponentialBackoff({ baseMs: 1_000, maxMs: 300_000 }),
  rate: "unlimited",
} as const;

const nsPerMs = 1_000_000;

/** Has nodes make and delete the snapshots of contents. */
export const snapshotter = controller<VolumeSnapshotContent>({
  name: "local-snapshotter",
  eventSource: `csi-snapshotter ${driverName}`,
  for: volumeSnapshotContents,
  watches: [watch(localSnapshots, contentsOf)],
  reads: [localVolumes],
  retry,
  predicate: (now) => now?.spec.driver === driverName,
  reconcile,
});

/** The contents of a snapshot: the one that it was made for, and those that name it. */
function contentsOf({ metadata, spec }: LocalSnapshot, { informers }: ControllerContext): string[] {
  const contents = informers.informer(volumeSnapshotContents).store.list();
  const given = contents.filter(({ spec: { source } }) => source.snapshotHandle === metadata.name);
  return [spec.content, ...given.map((one) => one.metadata.name ?? "")];
}

async function reconcile(
  content: VolumeSnapshotContent,
  context: ControllerContext,
): Promise<void> {
  if (content.spec.driver !== driverName) return;
  if (content.metadata.deletionTimestamp) return await remove(content, context);
  const { client } = context;
  const held = await addFinalizer(client, volumeSnapshotContents, content, contentFinalizer);
  if (held.status?.readyToUse) return;
  const isGiven = held.spec.source.snapshotHandle !== undefined;
  try {
    const local = isGiven ? given(held, context) : await ensure(held, context);
    if (local?.status?.phase !== "Ready") return;
    const { handle = "", sizeBytes = 0, createdMs = 0 } = local.status;
    const creationTime = createdMs * nsPerMs;
    const status = { snapshotHandle: handle, restoreSize: sizeBytes, creationTime };
    await client.patchStatus(volumeSnapshotContents, refOf(held), {
      status: { ...status, readyToUse: true, error: null },
    });
  } catch (error) {
    await writeFailure(held, error as Error, context);
    throw error;
  }
}

/** The snapshot that a content names. */
function given({ spec }: VolumeSnapshotContent, { informers }: ControllerContext): LocalSnapshot {
  const handle = spec.source.snapshotHandle ?? "";
  const found = informers.informer(localSnapshots).store.get("", handle);
  if (found) return found;
  throw new Error(`snapshot ${handle} does not exist on any node`);
}

/** The snapshot that a node makes for a content; undefined while a failed one is being removed. */
async function ensure(
  content: VolumeSnapshotContent,
  { client, informers }: ControllerContext,
): Promise<LocalSnapshot | undefined> {
  const name = `snapshot-${content.spec.volumeSnapshotRef.uid}`;
  const found = informers.informer(localSnapshots).store.get("", name);
  if (found?.metadata.deletionTimestamp) return undefined;
  const { error } = found?.status ?? {};
  if (found && error) {
    if (found.status?.phase === "Failed") await client.delete(localSnapshots, refOf(found));
    throw new Error(describeNodeError(error));
  }
  if (found) return found;
  const handle = content.spec.source.volumeHandle ?? "";
  const volume = informers.informer(localVolumes).store.get("", handle);
  if (!volume) throw new Error(`volume ${handle} does not exist on any node`);
  return await client.create(localSnapshots, {
    apiVersion: `${localGroup}/v1`,
    kind: "LocalSnapshot",
    metadata: { name, finalizers: [localFinalizer] },
    spec: {
      nodeName: volume.spec.nodeName,
      content: content.metadata.name ?? "",
      volume: handle,
    },
  });
}

async function writeFailure(
  content: VolumeSnapshotContent,
  { message: why }: Error,
  { client, clock, recorder }: ControllerContext,
): Promise<void> {
  const message = `Failed to create snapshot: ${why}`;
  if (content.status?.error?.message === message) return;
  recorder.event(content, "Warning", "SnapshotCreationFailed", message);
  const error = { message, time: formatTime(clock.now()) };
  await client.patchStatus(volumeSnapshotContents, refOf(content), {
    status: { error, readyToUse: false },
  });
}

/** Has the node delete the snapshot of a content, unless it is retained, and lets go of the content. */
async function remove(
  content: VolumeSnapshotContent,
  { client, informers, recorder }: ControllerContext,
): Promise<void> {
  const name =
    content.status?.snapshotHandle ??
    content.spec.source.snapshotHandle ??
    `snapshot-${content.spec.volumeSnapshotRef.uid}`;
  const local = informers.informer(localSnapshots).store.get("", name);
  if (content.spec.deletionPolicy === "Delete" && local) {
    const { error } = local.status ?? {};
    if (!local.metadata.deletionTimestamp) {
      await client.delete(localSnapshots, refOf(local)).catch(ignoreNotFound);
    } else if (error) {
      recorder.event(content, "Warning", "SnapshotDeleteError", describeNodeError(error));
    }
    return;
  }
  await removeFinalizer(client, volumeSnapshotContents, content, contentFinalizer);
}
