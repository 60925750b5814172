import type { Entry } from "../base/storage.ts";

/**
 * What one write made of a key. All versions that are still remembered are kept in memory without their values,
 * which the tree holds under the mod revision.
 */
export interface Version {
  readonly key: string;
  readonly modRevision: number;
  /** 0 if the write was a delete. */
  readonly createRevision: number;
  /** When the key deletes itself, on the wall clock in milliseconds; 0 for never. */
  readonly expiresAtMs: number;
  /** What this write replaced; undefined if there was nothing, or compaction has forgotten it. */
  previous: Version | undefined;
  /** The value and the record while the tree doesn't have them yet. */
  pending: PendingVersion | undefined;
  /** The value, as long as someone else holds it: then it needn't be read again, and stays one object. */
  shared: WeakRef<Uint8Array> | undefined;
}

export interface PendingVersion {
  /** The very object that was handed to put(). */
  readonly value: Uint8Array;
  /** See record.ts. */
  readonly record: Buffer;
}

/** Whether the key exists in this version. */
export function isLive(version: Version | undefined): version is Version {
  return version !== undefined && version.createRevision > 0;
}

/** Whether this version says that the key was deleted. */
export function isDelete(version: Version): boolean {
  return version.createRevision === 0;
}

/** A live version as the interface shows it. */
export function toEntry(version: Version, value: Uint8Array): Entry {
  const { key, modRevision, createRevision } = version;
  return { key, value, modRevision, createRevision };
}

/** A version that is in the tree and has not been read yet. */
export function storedVersion(
  fields: Pick<Version, "key" | "modRevision" | "createRevision" | "expiresAtMs">,
): Version {
  return { ...fields, previous: undefined, pending: undefined, shared: undefined };
}

/** Lets go of what the tree has now. */
export function markStored(version: Version): void {
  if (version.pending && isLive(version)) version.shared = new WeakRef(version.pending.value);
  version.pending = undefined;
}
