import { StorageError } from "../base/storage.ts";
import type { Tree } from "./tree.ts";

/** Converts the tree from one format to the next, durably, before any other read. */
type Migration = (tree: Tree) => Promise<void>;

/** All migrations: the first leads from format 1 to 2, and so on. */
export const migrations: readonly Migration[] = [];

/** The format of the tree and the journal that this program writes. */
export const formatVersion = migrations.length + 1;

/** The migrations that a store of a format needs. Throws if the format is newer than ours. */
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
