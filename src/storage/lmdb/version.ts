import type { Entry } from "../storage.ts";

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

/** A live version as the interface shows it. */
export function toEntry(version: Version, value: Uint8Array): Entry {
  const { key, modRevision, createRevision } = version;
  return { key, value, modRevision, createRevision };
}
