import type { LoadedHistory } from "./checkpointer.ts";
import { type JournalRecord, readJournal } from "./journal.ts";
import { copyRecordValue } from "./record.ts";
import { corruptStore } from "./storage-failure.ts";
import type { Tree, TreePin } from "./tree.ts";
import { newSalt } from "./tree-state.ts";
import { markStored, storedVersion } from "./version.ts";
import { Versions } from "./versions.ts";

/** Versions per commit while the journal is moved to the tree. */
const commitVersions = 1000;

/**
 * Restores the state before the store was closed or killed: the tree, then the newer part of the
 * journal. The latter is moved to the tree, so that the journal can restart with another salt.
 */
export async function loadVersions(
  directory: string,
  tree: Tree,
): Promise<{ readonly versions: Versions; readonly loaded: LoadedHistory }> {
  const { versions, loaded } = readTree(tree);
  const { salt, revision } = tree.state;
  const records = await readJournal(directory, Buffer.from(salt, "hex"), revision);
  const bytes = records.reduce((sum, { record }) => sum + record.length, loaded.bytes);
  replay(versions, records);
  await takeOver(tree, versions);
  return { versions, loaded: { ...loaded, bytes } };
}

/** The versions that are in the tree. */
export function readTree(
  tree: Tree,
  pin?: TreePin,
): { readonly versions: Versions; readonly loaded: LoadedHistory } {
  const { revision, compactRevision, records } = pin?.state ?? tree.state;
  const versions = new Versions(compactRevision);
  const forgotten: number[] = [];
  let bytes = 0;
  let count = 0;
  for (const { fields, size } of tree.records(pin)) {
    count++;
    if (fields.modRevision <= compactRevision) {
      forgotten.push(...versions.load(storedVersion(fields)));
      continue;
    }
    if (fields.modRevision !== versions.revision + 1) break;
    versions.append({ ...storedVersion(fields), previous: versions.find(fields.key) });
    bytes += size;
  }
  if (versions.revision !== revision || count !== records) {
    throw corruptStore(tree.file, `it has ${count} of ${records} records`);
  }
  return { versions, loaded: { bytes, forgotten } };
}

/** Adds the versions of the journal. */
export function replay(versions: Versions, records: readonly JournalRecord[]): void {
  for (const { fields, record } of records) {
    const pending = { value: copyRecordValue(record), record };
    const previous = versions.find(fields.key);
    versions.append({ ...storedVersion(fields), previous, pending });
  }
}

async function takeOver(tree: Tree, versions: Versions): Promise<void> {
  do {
    const put = versions.since(tree.state.revision, commitVersions);
    const revision = put.at(-1)?.modRevision ?? tree.state.revision;
    // The old salt must stay until the tree has everything that was written with it.
    const salt = revision === versions.revision ? newSalt() : tree.state.salt;
    await tree.commit({ put, drop: [], state: { ...tree.state, revision, salt } });
    for (const version of put) markStored(version);
  } while (tree.state.revision < versions.revision);
}
