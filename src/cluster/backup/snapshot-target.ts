import type { StoredSnapshot } from "./schedule.ts";

/** A place for snapshots. */
export interface SnapshotTarget {
  /** Shown to the user: a folder or a URL. */
  readonly place: string;
  /** Writes a snapshot; it appears only when it is whole. Returns its size (bytes). */
  write(name: string, content: AsyncIterable<Uint8Array>): Promise<number>;
  /** The snapshots that are there, the oldest first. */
  list(): Promise<StoredSnapshot[]>;
  read(name: string): AsyncIterable<Uint8Array>;
  remove(name: string): Promise<void>;
}
