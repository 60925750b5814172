/** Upstream: pkg/controller/volume/attachdetach/reconciler/reconciler.go. */
import type { PersistentVolume } from "#/api/core/v1.ts";
import type { VolumeAttachment } from "#/api/storage/v1.ts";

interface AttachmentView {
  readonly volume: PersistentVolume;
  /** The nodes with Pods that need it. */
  readonly desired: readonly string[];
  /** Existing attachments, also those being made or deleted. */
  readonly attachments: readonly VolumeAttachment[];
  /** Whether a node has unmounted it, or may be forced. */
  mayDetach(attachment: VolumeAttachment): boolean;
}

/** The actions for a volume. */
export interface AttachmentPlan {
  /** Nodes to attach it to. */
  readonly attach: readonly string[];
  /** Nodes that must wait until another one has detached it. */
  readonly blocked: readonly string[];
  readonly detach: readonly VolumeAttachment[];
  /** Unneeded attachments that are still in use by their nodes. */
  readonly held: readonly VolumeAttachment[];
}

/** Decides to which nodes a volume is attached. */
export function planAttachments(view: AttachmentView): AttachmentPlan {
  const { volume, desired, attachments, mayDetach } = view;
  const unwanted = attachments.filter(
    ({ metadata, spec }) => !metadata.deletionTimestamp && !desired.includes(spec.nodeName),
  );
  const there = new Set(attachments.map(({ spec }) => spec.nodeName));
  const missing = desired.filter((node) => !there.has(node));
  const room = maySpread(volume) ? missing.length : there.size === 0 ? 1 : 0;
  return {
    attach: missing.slice(0, room),
    blocked: missing.slice(room),
    detach: unwanted.filter(mayDetach),
    held: unwanted.filter((attachment) => !mayDetach(attachment)),
  };
}

/** Whether several nodes may attach a volume at once; without access modes the driver decides. */
function maySpread({ spec: { accessModes = [] } }: PersistentVolume): boolean {
  return (
    accessModes.length === 0 ||
    accessModes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany")
  );
}
