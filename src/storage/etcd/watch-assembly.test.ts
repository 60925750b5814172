import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CompactedError } from "../base/storage.ts";
import type { Event, KeyValue, WatchResponse } from "./etcd-services.ts";
import { WatchAssembly } from "./watch-assembly.ts";
import { WrittenValues } from "./written-values.ts";

const kv = (key: string, createRevision: number, modRevision: number): KeyValue => ({
  key,
  createRevision,
  modRevision,
  version: 1,
  value: Buffer.from(String(modRevision)),
  lease: 0n,
});

/** A key created at the first revision and, if there is a second, changed at that. */
const put = (key: string, created: number, modified = created): Event => ({
  type: "PUT",
  kv: kv(key, created, modified),
  prevKv: modified > created ? kv(key, created, created) : undefined,
});

const remove = (key: string, created: number, deleted: number): Event => ({
  type: "DELETE",
  kv: kv(key, 0, deleted),
  prevKv: kv(key, created, created),
});

const response = (revision: number, events: Event[], fragment = false): WatchResponse => ({
  header: { memberId: 1n, revision },
  created: false,
  canceled: false,
  compactRevision: 0,
  cancelReason: "",
  fragment,
  events,
});

/** Batches as text: the revision, then each event with its key and revision. */
function assemble(
  responses: readonly WatchResponse[],
  { after = 10, prefix = "/a/", trustProgress = true, knowsPrevious = false } = {},
): string[] {
  const assembly = new WatchAssembly({
    after,
    prefix,
    trustProgress,
    knowsPrevious,
    written: new WrittenValues(),
  });
  return responses.flatMap((next) => {
    const batch = assembly.accept(next);
    if (!batch) return [];
    const events = batch.events.map((event) =>
      event.type === "put"
        ? `${event.entry.key}@${event.entry.modRevision}`
        : `-${event.key}@${event.revision}`,
    );
    assert.equal(assembly.position, batch.revision);
    return [[batch.revision, ...events].join(" ")];
  });
}

describe("WatchAssembly", () => {
  test("makes a batch from a response", () => {
    const events = [put("/a/1", 11), remove("/a/2", 3, 12), put("/a/3", 4, 12)];
    assert.deepEqual(assemble([response(12, events)]), ["12 /a/1@11 -/a/2@12 /a/3@12"]);
  });

  test("does not take the header's revision as reached during a catch-up", () => {
    assert.deepEqual(assemble([response(900, [put("/a/1", 11)])]), ["11 /a/1@11"]);
  });

  test("keeps the events of a revision together across fragments", () => {
    const fragments = [
      response(13, [put("/a/1", 11), put("/a/2", 12)], true),
      response(13, [put("/a/3", 12), put("/a/4", 13)], true),
      response(13, [put("/a/5", 13)], true),
      response(13, [put("/a/6", 13)]),
    ];
    assert.deepEqual(assemble(fragments), [
      "11 /a/1@11",
      "12 /a/2@12 /a/3@12",
      "13 /a/4@13 /a/5@13 /a/6@13",
    ]);
  });

  test("skips events that were delivered before", () => {
    const events = [put("/a/1", 9), put("/a/2", 10)];
    assert.deepEqual(assemble([response(10, events)]), []);
    assert.deepEqual(assemble([response(11, [...events, put("/a/3", 11)])]), ["11 /a/3@11"]);
    assert.deepEqual(assemble([response(10, events, true), response(11, [put("/a/3", 11)])]), [
      "11 /a/3@11",
    ]);
  });

  test("takes a response without events as progress", () => {
    const responses = [response(15, []), response(12, []), response(15, [])];
    assert.deepEqual(assemble(responses), ["15", "15", "15"]);
  });

  test("ignores unreliable progress", () => {
    const responses = [response(15, []), response(12, [put("/a/1", 12)]), response(15, [])];
    assert.deepEqual(assemble(responses, { trustProgress: false }), ["10", "12 /a/1@12", "12"]);
  });

  test("counts the events of other keys but does not deliver them", () => {
    const responses = [
      response(12, [put("/b/1", 11), put("/a/1", 12)]),
      response(13, [put("/b/1", 11, 13)]),
    ];
    assert.deepEqual(assemble(responses), ["12 /a/1@12", "13"]);
  });

  test("ends with CompactedError when etcd has lost a previous value", () => {
    for (const event of [remove("/a/1", 3, 11), put("/a/1", 3, 11)]) {
      const lossy = { ...event, prevKv: undefined };
      assert.throws(() => assemble([response(11, [lossy])]), CompactedError);
      assert.equal(assemble([response(11, [lossy])], { knowsPrevious: true }).length, 1);
      assert.deepEqual(assemble([response(11, [lossy])], { prefix: "/b/" }), ["11"]);
    }
  });
});
