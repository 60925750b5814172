import assert from "node:assert/strict";
import { StorageError } from "../base/storage.ts";
import {
  bytes,
  contractTest,
  done,
  type OpenStorage,
  pairs,
  put,
  text,
} from "./under-test.contract.ts";

/** get and range: content, order and revision. */
export function readsContract(open: OpenStorage): void {
  contractTest(open, "get() finds what put() wrote", async ({ storage, prefix }) => {
    const created = await put(storage, `${prefix}a`, "1");
    const updated = await put(storage, `${prefix}a`, "2");
    const { entry, revision } = await storage.get(`${prefix}a`);
    assert.deepEqual(
      { ...entry, value: text(entry?.value) },
      { key: `${prefix}a`, value: "2", modRevision: updated, createRevision: created },
    );
    assert.ok(revision >= updated);
  });

  contractTest(open, "get() finds nothing for an absent key", async ({ storage, prefix }) => {
    const before = await storage.revision();
    const { entry, revision } = await storage.get(`${prefix}none`);
    assert.equal(entry, undefined);
    assert.ok(revision >= before);
  });

  contractTest(open, "get() at a revision returns the old value", async ({ storage, prefix }) => {
    const start = await storage.revision();
    const first = await put(storage, `${prefix}a`, "1");
    const second = await put(storage, `${prefix}a`, "2");
    const gone = await done(storage.delete(`${prefix}a`, { expect: "any" }));
    await put(storage, `${prefix}a`, "3");
    const seen = [];
    for (const revision of [start, first, second, gone]) {
      const result = await storage.get(`${prefix}a`, { revision });
      assert.equal(result.revision, revision);
      seen.push(result.entry && text(result.entry.value));
    }
    assert.deepEqual(seen, [undefined, "1", "2", undefined]);
  });

  contractTest(open, "get() at a future revision fails", async ({ storage, prefix }) => {
    const revision = (await storage.revision()) + 1_000_000;
    await assert.rejects(storage.get(`${prefix}a`, { revision }), StorageError);
    await assert.rejects(storage.range(prefix, { revision }), StorageError);
  });

  contractTest(open, "range() keeps to the prefix", async ({ storage, prefix }) => {
    for (const name of ["a", "a/", "a/1", "a/2", "a0", "b", "a/1/x"]) {
      await put(storage, prefix + name, name);
    }
    const { entries, remaining } = await storage.range(`${prefix}a/`);
    assert.deepEqual(
      entries.map((entry) => text(entry.value)),
      ["a/", "a/1", "a/1/x", "a/2"],
    );
    assert.equal(remaining, 0);
  });

  contractTest(open, "range() is in byte order of UTF-8", async ({ storage, prefix }) => {
    const names = [
      "",
      "a",
      "a ",
      "a\u0001",
      "a-b",
      "a.b",
      "a/b",
      "ab",
      "é",
      "ü",
      "日",
      "\uffee",
      "😀",
    ];
    for (const name of names.toReversed()) await put(storage, prefix + name, "x");
    const { entries } = await storage.range(prefix);
    assert.deepEqual(
      entries.map((entry) => entry.key.slice(prefix.length)),
      names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
  });

  contractTest(open, "range() pages by limit and after", async ({ storage, prefix }) => {
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) await put(storage, prefix + name, name);
    const first = await storage.range(prefix, { limit: 2 });
    assert.deepEqual(
      [first.entries.map((entry) => text(entry.value)), first.remaining],
      [["a", "b"], 3],
    );
    const { revision } = first;
    const second = await storage.range(prefix, { limit: 2, after: `${prefix}b`, revision });
    assert.deepEqual(
      [second.entries.map((entry) => text(entry.value)), second.remaining],
      [["c", "d"], 1],
    );
    const third = await storage.range(prefix, { limit: 2, after: `${prefix}d`, revision });
    assert.deepEqual(
      [third.entries.map((entry) => text(entry.value)), third.remaining],
      [["e"], 0],
    );
    const last = await storage.range(prefix, { limit: 2, after: `${prefix}e` });
    assert.deepEqual([last.entries, last.remaining], [[], 0]);
    const between = await storage.range(prefix, { after: `${prefix}bb` });
    assert.deepEqual(
      between.entries.map((entry) => text(entry.value)),
      ["c", "d", "e"],
    );
  });

  contractTest(
    open,
    "range() with after beyond the prefix is empty",
    async ({ storage, prefix }) => {
      await put(storage, `${prefix}a/1`, "1");
      await put(storage, `${prefix}b`, "b");
      const { entries, remaining } = await storage.range(`${prefix}a/`, { after: `${prefix}a0` });
      assert.deepEqual([entries, remaining], [[], 0]);
      const before = await storage.range(`${prefix}a/`, { after: prefix });
      assert.deepEqual(pairs(before.entries), [[`${prefix}a/1`, "1"]]);
    },
  );

  contractTest(open, "range() of keys only has empty values", async ({ storage, prefix }) => {
    const revision = await put(storage, `${prefix}a`, "1");
    const { entries } = await storage.range(prefix, { keysOnly: true });
    assert.deepEqual(
      entries.map((entry) => ({ ...entry, value: entry.value.length })),
      [{ key: `${prefix}a`, value: 0, modRevision: revision, createRevision: revision }],
    );
  });

  contractTest(open, "range() at a revision returns the old state", async ({ storage, prefix }) => {
    await put(storage, `${prefix}a`, "a1");
    await put(storage, `${prefix}b`, "b1");
    const then = await put(storage, `${prefix}d`, "d1");
    const past = pairs((await storage.range(prefix, { revision: then })).entries);
    await put(storage, `${prefix}a`, "a2");
    await put(storage, `${prefix}a`, "a3");
    await done(storage.delete(`${prefix}b`, { expect: "any" }));
    await put(storage, `${prefix}c`, "c1");
    await done(storage.delete(`${prefix}d`, { expect: "any" }));
    await put(storage, `${prefix}d`, "d2");
    const result = await storage.range(prefix, { revision: then });
    assert.deepEqual(pairs(result.entries), past);
    assert.equal(result.revision, then);
    const page = await storage.range(prefix, { revision: then, limit: 1, after: `${prefix}a` });
    assert.deepEqual([pairs(page.entries), page.remaining], [[[`${prefix}b`, "b1"]], 1]);
  });

  contractTest(open, "values may be empty or big", async ({ storage, prefix }) => {
    const big = new Uint8Array(1.5 * 1024 * 1024 - 1024).map((_, index) => index % 251);
    await done(storage.put(`${prefix}big`, big, { expect: "absent" }));
    await done(storage.put(`${prefix}empty`, new Uint8Array(0), { expect: "absent" }));
    const { entries } = await storage.range(prefix);
    assert.deepEqual(
      entries.map((entry) => entry.value.length),
      [big.length, 0],
    );
    assert.ok(Buffer.from(entries[0]?.value ?? []).equals(big));
    const single = await storage.get(`${prefix}empty`);
    assert.equal(single.entry?.value.length, 0);
  });

  contractTest(open, "an entry is not changed by later writes", async ({ storage, prefix }) => {
    await put(storage, `${prefix}a`, "kept");
    const { entry } = await storage.get(`${prefix}a`);
    const { entries } = await storage.range(prefix);
    for (let index = 0; index < 100; index++) await put(storage, `${prefix}a`, `other ${index}`);
    assert.deepEqual([text(entry?.value), text(entries[0]?.value)], ["kept", "kept"]);
  });

  contractTest(open, "10,000 keys page consistently under writes", async ({ storage, prefix }) => {
    const count = 10_000;
    const name = (index: number): string => `${prefix}${String(index).padStart(5, "0")}`;
    const value = bytes("x".repeat(100));
    for (let start = 0; start < count; start += 500) {
      const writes = Array.from({ length: 500 }, (_, offset) =>
        storage.put(name(start + offset), value, { expect: "absent" }),
      );
      for (const result of await Promise.all(writes)) assert.ok(result.done);
    }
    const keys: string[] = [];
    let page = await storage.range(prefix, { limit: 999 });
    const { revision } = page;
    for (;;) {
      keys.push(...page.entries.map((entry) => entry.key));
      assert.equal(page.remaining, count - keys.length);
      if (page.remaining === 0) break;
      await done(storage.delete(name(count - 1 - keys.length / 999), { expect: "any" }));
      const after = keys.at(-1) ?? "";
      page = await storage.range(prefix, { limit: 999, after, revision });
    }
    assert.deepEqual(
      keys,
      Array.from({ length: count }, (_, index) => name(index)),
    );
  });
}
