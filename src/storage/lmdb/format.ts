import { StorageError } from "../base/storage.ts";
import type { Tree } from "./tree.ts";

/** Turns what is in the tree from one format into the next, durably, before anything else reads it. */
export type Migration = (tree: Tree) => Promise<void>;

/** The steps of the format so far: the first leads from format 1 to 2, and so on. */
export const migrations: readonly Migration[] = [];

/** The format of what is in the tree and the journal, as this program writes it. */
export const formatVersion = migrations.length + 1;

/** The steps that a store of some format still needs. Throws if it is newer than the newest step. */
export function pendingMigrations<Step>(
  directory: string,
  found: number,
  steps: readonly Step[],
): readonly Step[] {
  const newest = steps.length + 1;
  if (found > newest) {
    throw new StorageError(
      `the store in ${directory} has format ${found}, this program knows up to ${newest}; use a newer k8ts`,
    );
  }
  return steps.slice(found - 1);
}
