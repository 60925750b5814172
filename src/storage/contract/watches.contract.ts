import assert from "node:assert/strict";
import { CompactedError } from "../base/storage.ts";
import { eventRevision } from "../base/watch-event.ts";
import {
  bytes,
  contractTest,
  describeEvent,
  done,
  type OpenStorage,
  put,
  WatchReader,
} from "./under-test.contract.ts";

/** watch, progress and compaction. */
export function watchesContract(open: OpenStorage): void {
  contractTest(open, "watch() reports puts and deletes", async ({ storage, prefix }) => {
    using watch = new WatchReader(storage, prefix, await storage.revision());
    const first = await put(storage, `${prefix}a`, "1");
    const second = await put(storage, `${prefix}a`, "2");
    const gone = await done(storage.delete(`${prefix}a`, { expect: second }));
    const again = await put(storage, `${prefix}a`, "3");
    const events = await watch.take(4);
    assert.deepEqual(events.map(describeEvent), [
      `put ${prefix}a=1@${first}`,
      `put ${prefix}a=2 (was 1)@${second}`,
      `delete ${prefix}a (was 2)@${gone}`,
      `put ${prefix}a=3@${again}`,
    ]);
    const [created, updated, deleted] = events;
    assert.equal(created?.type === "put" && created.entry.createRevision, first);
    assert.equal(updated?.type === "put" && updated.entry.createRevision, first);
    assert.equal(updated?.previous?.modRevision, first);
    assert.equal(deleted?.previous?.modRevision, second);
  });

  contractTest(
    open,
    "watch() with knowsPrevious reports every event",
    async ({ storage, prefix }) => {
      const start = await storage.revision();
      using watch = new WatchReader(storage, prefix, start, { knowsPrevious: true });
      const first = await put(storage, `${prefix}a`, "1");
      const second = await put(storage, `${prefix}a`, "2");
      const gone = await done(storage.delete(`${prefix}a`, { expect: second }));
      const events = (await watch.take(3)).map((event) => ({ ...event, previous: undefined }));
      assert.deepEqual(events.map(describeEvent), [
        `put ${prefix}a=1@${first}`,
        `put ${prefix}a=2@${second}`,
        `delete ${prefix}a@${gone}`,
      ]);
    },
  );

  contractTest(open, "watch() keeps to its prefix", async ({ storage, prefix }) => {
    using watch = new WatchReader(storage, `${prefix}a/`, await storage.revision());
    for (const name of ["a", "a0", "a/1", "b", "a/2/x"]) await put(storage, prefix + name, name);
    const events = await watch.take(2);
    assert.deepEqual(
      events.map((event) => event.type === "put" && event.entry.key.slice(prefix.length)),
      ["a/1", "a/2/x"],
    );
  });

  contractTest(open, "watch() starts after a past revision", async ({ storage, prefix }) => {
    const first = await put(storage, `${prefix}a`, "1");
    const second = await put(storage, `${prefix}a`, "2");
    const other = await put(storage, `${prefix}b`, "1");
    const gone = await done(storage.delete(`${prefix}a`, { expect: "any" }));
    using watch = new WatchReader(storage, prefix, first);
    const past = await watch.take(3);
    const next = await put(storage, `${prefix}c`, "1");
    assert.deepEqual([...past, ...(await watch.take(1))].map(describeEvent), [
      `put ${prefix}a=2 (was 1)@${second}`,
      `put ${prefix}b=1@${other}`,
      `delete ${prefix}a (was 2)@${gone}`,
      `put ${prefix}c=1@${next}`,
    ]);
  });

  contractTest(
    open,
    "watch() of history continues with new events",
    async ({ storage, prefix }) => {
      const start = await storage.revision();
      const count = 300;
      const writer = (async () => {
        for (let index = 0; index < count; index++)
          await put(storage, `${prefix}${index % 7}`, `${index}`);
      })();
      const readers = Array.from({ length: 10 }, () => new WatchReader(storage, prefix, start));
      const taken = await Promise.all(readers.map((reader) => reader.take(count)));
      await writer;
      for (const [index, events] of taken.entries()) {
        assert.equal(events.length, count);
        assert.equal(new Set(events.map(eventRevision)).size, count, "no event twice");
        assert.deepEqual(events.map(describeEvent), taken[0]?.map(describeEvent));
        readers[index]?.abort();
      }
    },
  );

  contractTest(open, "concurrent writes arrive in revision order", async ({ storage, prefix }) => {
    using watch = new WatchReader(storage, prefix, await storage.revision());
    const count = 500;
    const writes = Array.from({ length: count }, (_, index) =>
      put(storage, `${prefix}${index}`, "x"),
    );
    const revisions = await Promise.all(writes);
    const events = await watch.take(count);
    assert.deepEqual(
      events.map(eventRevision),
      revisions.toSorted((a, b) => a - b),
    );
  });

  contractTest(
    open,
    "watch() from a future revision skips until then",
    async ({ storage, prefix }) => {
      const now = await storage.revision();
      using watch = new WatchReader(storage, prefix, now + 2);
      for (const value of ["1", "2", "3"]) await put(storage, `${prefix}a`, value);
      assert.deepEqual((await watch.take(1)).map(describeEvent), [
        `put ${prefix}a=3 (was 2)@${now + 3}`,
      ]);
    },
  );

  contractTest(open, "watch() ends when aborted", async ({ storage, prefix }) => {
    const after = await storage.revision();
    const watch = new WatchReader(storage, prefix, after);
    const ended = watch.next();
    watch.abort();
    assert.equal(await ended, undefined);
    assert.equal(await watch.next(), undefined);
    const aborted = storage.watch(prefix, { after, signal: AbortSignal.abort() });
    for await (const _ of aborted) assert.fail("an aborted watch yields nothing");
  });

  contractTest(open, "leaving the loop ends the watch", async ({ storage, prefix }) => {
    const { signal } = new AbortController();
    const after = await storage.revision();
    await put(storage, `${prefix}a`, "1");
    for await (const batch of storage.watch(prefix, { after, signal })) {
      if (batch.events.length > 0) break;
    }
    await put(storage, `${prefix}a`, "2");
  });

  contractTest(open, "requestProgress() reaches quiet watches", async ({ storage, prefix }) => {
    const start = await storage.revision();
    using quiet = new WatchReader(storage, `${prefix}quiet/`, start);
    using busy = new WatchReader(storage, `${prefix}busy/`, start);
    const reached = quiet.until(start + 1);
    const revision = await put(storage, `${prefix}busy/a`, "1");
    await busy.take(1);
    await storage.requestProgress();
    assert.deepEqual(await reached, []);
    assert.equal(revision, start + 1);
  });

  contractTest(open, "compact() ends reads of older revisions", async ({ storage, prefix }) => {
    const first = await put(storage, `${prefix}a`, "1");
    await put(storage, `${prefix}a`, "2");
    const kept = await put(storage, `${prefix}a`, "3");
    await storage.compact(kept);
    await assert.rejects(storage.get(`${prefix}a`, { revision: first }), CompactedError);
    await assert.rejects(storage.range(prefix, { revision: first }), CompactedError);
    const { entries } = await storage.range(prefix, { revision: kept });
    assert.equal(entries[0]?.modRevision, kept);
    assert.equal((await storage.get(`${prefix}a`)).entry?.modRevision, kept);
  });

  contractTest(open, "compact() keeps live keys and later history", async ({ storage, prefix }) => {
    const old = await put(storage, `${prefix}old`, "1");
    await put(storage, `${prefix}a`, "1");
    const compacted = await put(storage, `${prefix}a`, "2");
    const later = await put(storage, `${prefix}a`, "3");
    await storage.compact(compacted);
    assert.equal((await storage.get(`${prefix}old`)).entry?.modRevision, old);
    const past = await storage.get(`${prefix}a`, { revision: compacted });
    assert.equal(past.entry?.modRevision, compacted);
    using watch = new WatchReader(storage, prefix, compacted);
    const events = await watch.take(1);
    assert.deepEqual(events.map(describeEvent), [`put ${prefix}a=3 (was 2)@${later}`]);
  });

  contractTest(open, "compact() ends watches of older revisions", async ({ storage, prefix }) => {
    const first = await put(storage, `${prefix}a`, "1");
    for (const value of ["2", "3", "4"]) await put(storage, `${prefix}a`, value);
    await storage.compact(await storage.revision());
    using watch = new WatchReader(storage, prefix, first);
    await assert.rejects(watch.next(), (error) => {
      assert.ok(error instanceof CompactedError);
      assert.ok(error.compactRevision > first);
      return true;
    });
  });

  contractTest(open, "compact() does not affect a running watch", async ({ storage, prefix }) => {
    using watch = new WatchReader(storage, prefix, await storage.revision());
    await put(storage, `${prefix}a`, "1");
    await watch.take(1);
    await storage.compact(await storage.revision());
    const next = await put(storage, `${prefix}a`, "2");
    assert.deepEqual((await watch.take(1)).map(describeEvent), [
      `put ${prefix}a=2 (was 1)@${next}`,
    ]);
  });

  contractTest(open, "compact() to an older revision does nothing", async ({ storage, prefix }) => {
    await put(storage, `${prefix}a`, "1");
    const later = await put(storage, `${prefix}a`, "2");
    await storage.compact(later);
    await storage
      .compact(later - 1)
      .catch((error: unknown) => assert.ok(error instanceof CompactedError));
    assert.equal((await storage.get(`${prefix}a`, { revision: later })).entry?.modRevision, later);
  });

  contractTest(open, "a watch delivers 1.5 MiB", async ({ storage, prefix }) => {
    using watch = new WatchReader(storage, prefix, await storage.revision());
    const big = bytes("x".repeat(1.5 * 1024 * 1024 - 1024));
    await done(storage.put(`${prefix}a`, big, { expect: "absent" }));
    await done(storage.put(`${prefix}a`, big, { expect: "any" }));
    const events = await watch.take(2);
    assert.equal(events[1]?.previous?.value.length, big.length);
    assert.equal(events[1]?.type === "put" && events[1].entry.value.length, big.length);
  });
}
