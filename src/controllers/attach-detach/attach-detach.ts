/** Upstream: pkg/controller/volume/attachdetach, pkg/volume/csi/csi_attacher.go. */
import {
  type Node,
  nodes,
  type PersistentVolume,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
} from "#/api/core/v1.ts";
import { csiDrivers, type VolumeAttachment, volumeAttachments } from "#/api/storage/v1.ts";
import { keyOf, refKey, refOf } from "#/client/object-key.ts";
import {
  type Controller,
  type ControllerContext,
  controller,
  type ReconcileResult,
  watch,
} from "#/controller/controller.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { ignoreNotFound, isAlreadyExists } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { attachmentName, type CsiVolume, csiVolumeName } from "#/machinery/volumes/csi-volume.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { podsOnNode } from "../pods/pod-indexes.ts";
import { blockedMessages, recordForAll } from "./attachment-events.ts";
import {
  attachable,
  attachmentsOf,
  attachmentsOn,
  isManaged,
  podsByNode,
  volumesOfAttachments,
  volumesOfPod,
} from "./attachment-indexes.ts";
import { setAttached } from "./node-attachments.ts";
import { type AttachmentPlan, planAttachments } from "./plan-attachments.ts";

type Context = ControllerContext<ManagerOptions>;

const name = "persistentvolume-attach-detach-controller";
const eventSource = "attachdetach-controller";
/**
 * Limit of the time (ms) in which a node that isn't ready may keep a volume that it should not
 * have.
 */
const maxUnmountMs = 360_000;
const outOfService = "node.kubernetes.io/out-of-service";

/** State of one volume, as long as it has attachments or waiting Pods. */
interface Memory {
  /** Since when (monotonic ms) attachments should be removed, by name. */
  readonly detachSince: Map<string, number>;
  /** Attach errors already recorded as events, by attachment or node; each is recorded once. */
  readonly reported: Map<string, string>;
}

/** Makes drivers attach volumes to the nodes of the Pods that need them, and detach the others. */
export const attachDetachController: Controller<ManagerOptions> = {
  name,
  eventSource,
  run(context) {
    const memories = new Map<string, Memory>();
    return controller<PersistentVolume, ManagerOptions>({
      name,
      for: persistentVolumes,
      // One worker, since volumes of a node share its status.
      workers: 1,
      watches: [
        watch(pods, (pod, { informers }) => volumesOfPod(pod, informers)),
        watch(persistentVolumeClaims, ({ spec }) => (spec.volumeName ? [spec.volumeName] : [])),
        watch(volumeAttachments, (attachment) => volumesOfAttachments([attachment])),
        watch(nodes, volumesOnNode, { predicate: nodeMatters }),
        watch(csiDrivers, volumesOfDriver),
      ],
      async reconcile(volume, own) {
        const key = keyOf(volume);
        const memory = memories.get(key) ?? { detachSince: new Map(), reported: new Map() };
        memories.set(key, memory);
        const result = await reconcile(volume, own, memory);
        if (memory.detachSince.size === 0 && memory.reported.size === 0) memories.delete(key);
        return result;
      },
      gone: async (ref) => void memories.delete(refKey(ref)),
    }).run(context);
  },
};

function volumesOnNode({ metadata }: Node, { informers }: Context): string[] {
  const node = metadata.name ?? "";
  const desired = podsOnNode(node, informers).flatMap((pod) => volumesOfPod(pod, informers));
  return [...desired, ...volumesOfAttachments(attachmentsOn(node, informers))];
}

function volumesOfDriver({ metadata }: { metadata: Node["metadata"] }, { informers }: Context) {
  const { store } = informers.informer(persistentVolumes);
  return store
    .list()
    .filter(({ spec }) => spec.csi?.driver === metadata.name)
    .map(keyOf);
}

/** Nodes update their status every few seconds; only this part is relevant here. */
function nodeMatters(now: Node | undefined, old: Node | undefined): boolean {
  const parts = (node: Node | undefined) =>
    node && [
      node.metadata.annotations,
      node.spec?.taints,
      node.status?.volumesInUse,
      node.status?.volumesAttached,
      isReady(node),
    ];
  return !deepEqual(parts(now), parts(old));
}

const isReady = ({ status }: Node): boolean => hasCondition(status?.conditions, "Ready");

async function reconcile(
  volume: PersistentVolume,
  context: Context,
  memory: Memory,
): Promise<ReconcileResult> {
  const { informers, clock } = context;
  const csi = attachable(volume, informers);
  if (!csi) return undefined;
  const { store } = informers.informer(nodes);
  const nodeOf = (node: string): Node | undefined => store.get("", node);
  const desired = podsByNode(volume, nodeOf, informers);
  const attachments = attachmentsOf(keyOf(volume), informers).filter(({ spec }) => {
    const node = nodeOf(spec.nodeName);
    return !node || isManaged(node);
  });
  markUnneeded(attachments, desired, memory, clock.monotonicMs());
  const plan = planAttachments({
    volume,
    desired: [...desired.keys()],
    attachments,
    mayDetach: (attachment) =>
      mayDetach(attachment, nodeOf(attachment.spec.nodeName), csi, context, memory),
  });
  await carryOut(plan, { volume, csi, desired, attachments }, context, memory);
  const waits = plan.held.map(({ metadata }) => {
    const since = memory.detachSince.get(metadata.name ?? "") ?? clock.monotonicMs();
    return since + maxUnmountMs - clock.monotonicMs();
  });
  const next = waits.filter((ms) => ms > 0);
  return next.length > 0 ? { afterMs: Math.min(...next) } : undefined;
}

function markUnneeded(
  attachments: readonly VolumeAttachment[],
  desired: ReadonlyMap<string, unknown>,
  { detachSince, reported }: Memory,
  nowMs: number,
): void {
  const names = new Set(attachments.map(({ metadata }) => metadata.name ?? ""));
  for (const key of detachSince.keys()) if (!names.has(key)) detachSince.delete(key);
  for (const key of reported.keys()) if (!names.has(key) && !desired.has(key)) reported.delete(key);
  for (const { metadata, spec } of attachments) {
    const key = metadata.name ?? "";
    if (desired.has(spec.nodeName)) detachSince.delete(key);
    else if (!detachSince.has(key)) detachSince.set(key, nowMs);
  }
}

/** Waits for a healthy node to unmount; detaches from an unhealthy one after the timeout. */
function mayDetach(
  { metadata }: VolumeAttachment,
  node: Node | undefined,
  csi: CsiVolume,
  { clock, options }: Context,
  { detachSince }: Memory,
): boolean {
  const isMounted = !node || (node.status?.volumesInUse ?? []).includes(csiVolumeName(csi));
  if (!isMounted) return true;
  if (node?.spec?.taints?.some(({ key }) => key === outOfService)) return true;
  const since = detachSince.get(metadata.name ?? "") ?? clock.monotonicMs();
  const isOver = clock.monotonicMs() - since >= maxUnmountMs;
  const isWell = node !== undefined && isReady(node);
  return isOver && !isWell && !options.flags["disable-force-detach-on-timeout"];
}

interface Subject {
  readonly volume: PersistentVolume;
  readonly csi: CsiVolume;
  readonly desired: ReadonlyMap<string, readonly Pod[]>;
  readonly attachments: readonly VolumeAttachment[];
}

async function carryOut(
  plan: AttachmentPlan,
  subject: Subject,
  context: Context,
  memory: Memory,
): Promise<void> {
  const { client, recorder } = context;
  const { volume, desired, attachments } = subject;
  for (const node of plan.attach) await attach(node, subject, context);
  for (const node of plan.blocked) {
    const waiting = desired.get(node) ?? [];
    const others = [...desired].filter(([other]) => other !== node).flatMap(([, there]) => there);
    if (memory.reported.has(node)) continue;
    memory.reported.set(node, "blocked");
    for (const [pod, message] of blockedMessages(volume, waiting, others)) {
      recorder.event(pod, "Warning", "FailedAttachVolume", message);
    }
  }
  for (const attachment of attachments) recordFailure(attachment, subject, context, memory);
  // The node's status must no longer list a volume before it is detached.
  const detaching = new Set(plan.detach);
  for (const node of new Set(attachments.map(({ spec }) => spec.nodeName))) {
    const added = await setAttached(node, detaching, context);
    if (!added.includes(csiVolumeName(subject.csi))) continue;
    memory.reported.delete(node);
    const message = `AttachVolume.Attach succeeded for volume "${keyOf(volume)}" `;
    recordForAll(desired.get(node) ?? [], "Normal", "SuccessfulAttachVolume", message, context);
  }
  for (const attachment of plan.detach) {
    await client.delete(volumeAttachments, refOf(attachment)).catch(ignoreNotFound);
    memory.detachSince.delete(attachment.metadata.name ?? "");
    memory.reported.delete(attachment.metadata.name ?? "");
  }
}

async function attach(node: string, { volume, csi }: Subject, { client }: Context): Promise<void> {
  try {
    await client.create(volumeAttachments, {
      metadata: { name: attachmentName(csi, node) },
      spec: {
        attacher: csi.driver,
        nodeName: node,
        source: { persistentVolumeName: keyOf(volume) },
      },
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function recordFailure(
  { metadata, spec, status }: VolumeAttachment,
  { volume, desired }: Subject,
  context: Context,
  { reported }: Memory,
): void {
  const key = metadata.name ?? "";
  const problem = status?.attached ? undefined : status?.attachError;
  const text = problem && `${problem.time} ${problem.message}`;
  if (text === undefined || reported.get(key) === text) return;
  reported.set(key, text);
  const message = `AttachVolume.Attach failed for volume "${keyOf(volume)}" : ${problem?.message}`;
  recordForAll(desired.get(spec.nodeName) ?? [], "Warning", "FailedAttachVolume", message, context);
}
