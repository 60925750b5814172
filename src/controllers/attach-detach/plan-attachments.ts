/** Upstream: pkg/controller/volume/attachdetach/reconciler/reconciler.go. */
import type { PersistentVolume } from "#/api/core/v1.ts";
import type { VolumeAttachment } from "#/api/storage/v1.ts";

export interface AttachmentView {
  readonly volume: PersistentVolume;
  /** The nodes with pods that need it. */
  readonly wanted: readonly string[];
  /** Where it is, will be or was just now. */
  readonly attachments: readonly VolumeAttachment[];
  /** Whether a node has let go of it, or must. */
  mayDetach(attachment: VolumeAttachment): boolean;
}

/** What is to be done about a volume. */
export interface AttachmentPlan {
  /** Nodes that get it. */
  readonly attach: readonly string[];
  /** Nodes that must wait until another has let go of it. */
  readonly blocked: readonly string[];
  readonly detach: readonly VolumeAttachment[];
  /** Nobody needs these any more, but their nodes still hold them. */
  readonly held: readonly VolumeAttachment[];
}

/** Decides where a volume is attached. */
export function planAttachments(view: AttachmentView): AttachmentPlan {
  const { volume, wanted, attachments, mayDetach } = view;
  const unwanted = attachments.filter(
    ({ metadata, spec }) => !metadata.deletionTimestamp && !wanted.includes(spec.nodeName),
  );
  const there = new Set(attachments.map(({ spec }) => spec.nodeName));
  const missing = wanted.filter((node) => !there.has(node));
  const room = maySpread(volume) ? missing.length : there.size === 0 ? 1 : 0;
  return {
    attach: missing.slice(0, room),
    blocked: missing.slice(room),
    detach: unwanted.filter(mayDetach),
    held: unwanted.filter((attachment) => !mayDetach(attachment)),
  };
}

/** Whether several nodes may have a volume at once; of one that doesn't say, its driver decides. */
function maySpread({ spec: { accessModes = [] } }: PersistentVolume): boolean {
  return (
    accessModes.length === 0 ||
    accessModes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany")
  );
}
