import type { Entry } from "../base/storage.ts";

/**
 * The result of one write to a key. All kept versions are in memory without their values, which the
 * tree holds under the mod revision.
 */
export interface Version {
  readonly key: string;
  readonly modRevision: number;
  /** 0 if the write was a delete. */
  readonly createRevision: number;
  /** When the key expires, on the wall clock in milliseconds; 0 for never. */
  readonly expiresAtMs: number;
  /** The replaced version; undefined if there was none, or if it is compacted. */
  previous: Version | undefined;
  /** The value and the record while the tree doesn't have them yet. */
  pending: PendingVersion | undefined;
  /**
   * The value, as long as it is referenced elsewhere: then it needn't be read again, and stays one
   * object.
   */
  shared: WeakRef<Uint8Array> | undefined;
}

interface PendingVersion {
  /** The same object that was passed to put(). */
  readonly value: Uint8Array;
  /** See record.ts. */
  readonly record: Buffer;
}

/** Whether the key exists in this version. */
export function isLive(version: Version | undefined): version is Version {
  return version !== undefined && version.createRevision > 0;
}

/** Whether this version is a deletion. */
export function isDelete(version: Version): boolean {
  return version.createRevision === 0;
}

/** A live version as an Entry. */
export function toEntry(version: Version, value: Uint8Array): Entry {
  const { key, modRevision, createRevision } = version;
  return { key, value, modRevision, createRevision };
}

/** A version in the tree whose value has not been read yet. */
export function storedVersion(
  fields: Pick<Version, "key" | "modRevision" | "createRevision" | "expiresAtMs">,
): Version {
  return { ...fields, previous: undefined, pending: undefined, shared: undefined };
}

/** Drops the value and record, which are now in the tree. */
export function markStored(version: Version): void {
  if (version.pending && isLive(version)) version.shared = new WeakRef(version.pending.value);
  version.pending = undefined;
}
