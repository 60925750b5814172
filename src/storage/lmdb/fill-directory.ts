import type { Clock } from "#/std/time/clock.ts";
import type { HistoryVersion } from "../base/history.ts";
import type { SnapshotEntry, StoreState } from "../base/snapshot.ts";
import { StorageError } from "../base/storage.ts";
import { Journal } from "./journal.ts";
import { recordSize, writeRecord } from "./record.ts";
import { Tree, type TreeChange } from "./tree.ts";
import { storedVersion, type Version } from "./version.ts";

/** Limits of one commit. */
const commitVersions = 1000;
const commitBytes = 8 << 20;

interface FillOptions {
  /** The revision at which the store goes on; everything before is compacted. */
  readonly revision: number;
  readonly clock: Clock;
}

/** Makes a store of a state, in an empty directory. Keys keep their revisions. */
export async function fillDirectory(
  directory: string,
  state: StoreState,
  { revision, clock }: FillOptions,
): Promise<void> {
  await using tree = await Tree.open(directory);
  const commits = new Commits(tree);
  const taken = new Set<number>();
  let next = state.revision;
  for await (const entry of state.entries) {
    // A transaction of etcd can write several keys at one revision; here each has its own.
    const modRevision = taken.has(entry.modRevision) ? ++next : entry.modRevision;
    taken.add(modRevision);
    await commits.add(toVersion({ ...entry, modRevision }, clock));
  }
  await commits.flush({ ...tree.state, revision, compactRevision: revision });
  await using _journal = await Journal.open(directory, Buffer.from(tree.state.salt, "hex"));
}

/** Adds writes to a store that no process uses: each at its revision, which follow the store's without a gap. */
export async function appendVersions(
  directory: string,
  versions: AsyncIterable<HistoryVersion> | Iterable<HistoryVersion>,
  clock: Clock,
): Promise<void> {
  await using tree = await Tree.open(directory);
  const commits = new Commits(tree);
  let { revision } = tree.state;
  for await (const version of versions) {
    if (version.modRevision !== revision + 1) {
      throw new StorageError(
        `revision ${version.modRevision} follows ${revision}: the embedded store has one write per revision`,
      );
    }
    revision = version.modRevision;
    await commits.add(toVersion(version, clock), { ...tree.state, revision });
  }
  await commits.flush({ ...tree.state, revision });
}

/** The revision of a store that was filled, and that no process uses. */
export async function filledRevision(directory: string): Promise<number> {
  await using tree = await Tree.open(directory);
  return tree.state.revision;
}

/** Collects versions, and commits them in portions. */
class Commits {
  readonly #tree: Tree;
  #put: Version[] = [];
  #bytes = 0;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  async add(version: Version, state: TreeChange["state"] = this.#tree.state): Promise<void> {
    this.#put.push(version);
    this.#bytes += version.pending?.record.length ?? 0;
    if (this.#put.length >= commitVersions || this.#bytes >= commitBytes) await this.flush(state);
  }

  async flush(state: TreeChange["state"]): Promise<void> {
    await this.#tree.commit({ put: this.#put, drop: [], state });
    this.#put = [];
    this.#bytes = 0;
  }
}

function toVersion(
  {
    key,
    value = noValue,
    modRevision,
    createRevision,
    ttlRemainingMs,
  }: SnapshotEntry | HistoryVersion,
  clock: Clock,
): Version {
  const expiresAtMs = ttlRemainingMs === undefined ? 0 : clock.now() + ttlRemainingMs;
  const fields = { key, modRevision, createRevision, expiresAtMs };
  const record = writeRecord(Buffer.alloc(recordSize(key, value)), 0, fields, value);
  return { ...storedVersion(fields), pending: { value, record } };
}

const noValue = new Uint8Array(0);
