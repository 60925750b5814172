import assert from "node:assert/strict";
import test from "node:test";
import { bytes } from "../contract/under-test.contract.ts";
import { ClosedError, CompactedError, type WatchBatch, type WatchEvent } from "./storage.ts";
import { WatchHub } from "./watch-hub.ts";

const putOf = (key: string, modRevision: number): WatchEvent => ({
  type: "put",
  entry: { key, value: bytes(""), modRevision, createRevision: modRevision },
  previous: undefined,
});

/** A hub with a log of events that counts its reads. */
class TestStore {
  readonly log: WatchEvent[] = [];
  reads = 0;
  revision = 1;
  readonly hub = new WatchHub(1, (prefix, after) => {
    this.reads++;
    const events = this.log.slice(after - 1).filter((event) => eventKey(event).startsWith(prefix));
    return { events, revision: this.revision };
  });

  write(...keys: readonly string[]): void {
    const events = keys.map((key) => putOf(key, ++this.revision));
    this.log.push(...events);
    this.hub.publish(events, this.revision);
  }
}

const eventKey = (event: WatchEvent): string => (event.type === "put" ? event.entry.key : "");
const keysOf = (batch: IteratorResult<WatchBatch>): string[] => batch.value.events.map(eventKey);

test("a watch reads history once, then receives published events", async () => {
  const store = new TestStore();
  store.write("/a/1", "/b/1");
  const { signal } = new AbortController();
  const watch = store.hub.watch("/a/", { after: 1, signal });
  assert.deepEqual(keysOf(await watch.next()), ["/a/1"]);
  store.write("/a/2", "/b/2", "/a/3");
  assert.deepEqual(keysOf(await watch.next()), ["/a/2", "/a/3"]);
  const next = watch.next();
  store.write("/b/3");
  store.write("/a/4");
  const { value } = await next;
  assert.deepEqual([value.events.map(eventKey), value.revision], [["/a/4"], 8]);
  assert.equal(store.reads, 1);
});

test("a watch with a slow reader drops events and reads them again from history", async () => {
  const store = new TestStore();
  const { signal } = new AbortController();
  const watch = store.hub.watch("/", { after: 1, signal });
  const first = watch.next();
  store.write("/0");
  await first;
  const reads = store.reads;
  for (let index = 1; index <= 150; index++) {
    store.write(...Array.from({ length: 100 }, () => `/${index}`));
  }
  const seen: string[] = [];
  while (seen.length < 15_000) seen.push(...keysOf(await watch.next()));
  assert.deepEqual(
    seen,
    Array.from({ length: 15_000 }, (_, index) => `/${Math.floor(index / 100) + 1}`),
  );
  assert.equal(store.reads, reads + 1);
});

test("requestProgress() yields an empty batch, once", async () => {
  const store = new TestStore();
  const { signal } = new AbortController();
  const watch = store.hub.watch("/quiet/", { after: 1, signal });
  const next = watch.next();
  store.write("/busy");
  store.hub.requestProgress();
  assert.deepEqual(await next, { value: { events: [], revision: 2 }, done: false });
  const later = watch.next();
  store.write("/quiet/1");
  assert.deepEqual(keysOf(await later), ["/quiet/1"]);
});

test("fail() ends current and future watches", async () => {
  const store = new TestStore();
  const { signal } = new AbortController();
  const watch = store.hub.watch("/", { after: 1, signal });
  const next = watch.next();
  store.hub.fail(new ClosedError());
  await assert.rejects(next, ClosedError);
  await assert.rejects(store.hub.watch("/", { after: 1, signal }).next(), ClosedError);
});

test("a watch of compacted history ends with CompactedError", async () => {
  const hub = new WatchHub(10, () => {
    throw new CompactedError(8);
  });
  const { signal } = new AbortController();
  await assert.rejects(hub.watch("/", { after: 3, signal }).next(), CompactedError);
});
