import { openSnapshot, type SnapshotEntry } from "./snapshot.ts";
import { type SnapshotInfo, type Storage, StorageError } from "./storage.ts";

/** Limit of parallel writes: enough to fill a group commit. */
const concurrency = 128;

/** Rewritten to advance the revision; deleted at the end. */
const revisionKey = "/k8ts/restore";

/**
 * Writes the content of a snapshot to a store that has none of it, through its interface. Keys get
 * new revisions, and the store's revision is advanced to the snapshot's at least, so that no client
 * sees revisions decrease; that takes one write per revision, unless the store is ahead already.
 * Everything before is compacted.
 */
export async function restoreInto(storage: Storage, file: string): Promise<SnapshotInfo> {
  const { info, entries } = await openSnapshot(file);
  await assertVacant(storage, entries());
  await inParallel(entries(), (entry) => putNew(storage, entry));
  const missing = info.revision - (await storage.revision());
  await inParallel(numbers(missing), () => storage.put(revisionKey, noValue, { expect: "any" }));
  await storage.delete(revisionKey, { expect: "any" });
  await storage.compact(await storage.revision());
  return info;
}

const noValue = new Uint8Array(0);

/** Throws unless the store has no key under the roots of the snapshot's keys (such as /registry/). */
async function assertVacant(
  storage: Storage,
  entries: AsyncIterable<SnapshotEntry>,
): Promise<void> {
  const roots = new Set<string>();
  for await (const { key } of entries) roots.add(/^\/?[^/]*\/?/.exec(key)?.[0] ?? "");
  for (const root of roots) {
    const { entries: found } = await storage.range(root, { limit: 1, keysOnly: true });
    if (found[0]) {
      throw new StorageError(`the store already holds ${found[0].key}; restore into an empty one`);
    }
  }
}

async function putNew(storage: Storage, entry: SnapshotEntry): Promise<void> {
  const { key, value, ttlRemainingMs } = entry;
  const ttl = ttlRemainingMs === undefined ? {} : { ttlSeconds: Math.ceil(ttlRemainingMs / 1000) };
  const { done } = await storage.put(key, value, { expect: "absent", ...ttl });
  if (!done) throw new StorageError(`someone else writes to the store: ${key} is there already`);
}

function* numbers(count: number): Generator<number> {
  for (let number = 0; number < count; number++) yield number;
}

/** Processes items with limited parallelism. */
async function inParallel<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  run: (item: Item) => Promise<unknown>,
): Promise<void> {
  const running = new Set<Promise<unknown>>();
  try {
    for await (const item of items) {
      const task = run(item).finally(() => running.delete(task));
      running.add(task);
      if (running.size >= concurrency) await Promise.race(running);
    }
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
  }
}
