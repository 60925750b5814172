import assert from "node:assert/strict";
import type { Entry, Expectation, WriteResult } from "../base/storage.ts";
import { bytes, contractTest, done, type OpenStorage, put, text } from "./under-test.contract.ts";

/** put and delete: expectations, outcomes and revisions. */
export function writesContract(open: OpenStorage): void {
  const cases: readonly { expect: Expectation | "current"; present: boolean; done: boolean }[] = [
    { expect: "absent", present: false, done: true },
    { expect: "absent", present: true, done: false },
    { expect: "any", present: false, done: true },
    { expect: "any", present: true, done: true },
    { expect: "current", present: true, done: true },
    { expect: 1, present: true, done: false },
    { expect: 1, present: false, done: false },
  ];
  for (const { expect, present, done: allowed } of cases) {
    const what = `expecting ${expect} of ${present ? "a present" : "an absent"} key`;
    contractTest(open, `put() ${what}`, async ({ storage, prefix }) => {
      const key = `${prefix}a`;
      const old = present ? await put(storage, key, "old") : 0;
      const before = await storage.revision();
      const expectation = expect === "current" ? old : expect;
      const result = await storage.put(key, bytes("new"), { expect: expectation });
      assert.equal(result.done, allowed);
      const there = present ? { value: "old", modRevision: old, createRevision: old } : undefined;
      if (!result.done) assert.deepEqual(brief(result.current), there);
      const { entry } = await storage.get(key);
      if (!result.done) {
        assert.equal(await storage.revision(), before, "a refused write makes no revision");
        assert.deepEqual(brief(entry), brief(result.current));
      } else {
        assert.equal(result.revision, before + 1);
        const createRevision = present ? old : result.revision;
        assert.deepEqual(brief(entry), {
          value: "new",
          modRevision: result.revision,
          createRevision,
        });
      }
    });

    if (expect === "absent") continue;
    contractTest(open, `delete() ${what}`, async ({ storage, prefix }) => {
      const key = `${prefix}a`;
      const old = present ? await put(storage, key, "old") : 0;
      const before = await storage.revision();
      const expectation = expect === "current" ? old : expect;
      const result = await storage.delete(key, { expect: expectation });
      const there = present ? { value: "old", modRevision: old, createRevision: old } : undefined;
      assert.equal(result.done, allowed);
      if (!result.done) assert.deepEqual(brief(result.current), there);
      const removes = allowed && present;
      assert.equal(await storage.revision(), removes ? before + 1 : before);
      assert.deepEqual(brief((await storage.get(key)).entry), removes ? undefined : there);
    });
  }

  const guards = ["at its revision", "written since", "deleted"] as const;
  for (const guardIs of guards) {
    for (const matches of [true, false]) {
      const what = `a guard that is ${guardIs}, as the key ${matches ? "is" : "is not"} as expected`;
      contractTest(open, `put() and delete() with ${what}`, async ({ storage, prefix }) => {
        const [key, guardKey] = [`${prefix}a`, `${prefix}guard`];
        const old = await put(storage, key, "old");
        const guard = { key: guardKey, modRevision: await put(storage, guardKey, "1") };
        if (guardIs === "written since") await put(storage, guardKey, "2");
        if (guardIs === "deleted") await done(storage.delete(guardKey, { expect: "any" }));
        const options = { expect: matches ? old : ("absent" as const), guard };
        const before = await storage.revision();
        const writes = [
          () => storage.put(key, bytes("new"), options),
          () => storage.delete(key, options),
        ];
        for (const write of writes) {
          if (guardIs === "at its revision" && matches) break;
          const result = await write();
          assert.equal(result.done, false);
          assert.equal(result.byGuard ?? false, guardIs !== "at its revision");
          if (!result.byGuard) assert.equal(result.current?.modRevision, old);
          assert.equal(await storage.revision(), before, "a refused write makes no revision");
        }
        if (guardIs !== "at its revision" || !matches) return;
        const written = await done(storage.put(key, bytes("new"), options));
        await done(storage.delete(key, { expect: written, guard }));
        assert.equal((await storage.get(key)).entry, undefined);
      });
    }
  }

  contractTest(
    open,
    "of the writes behind a change of their guard, none is done",
    async ({ storage, prefix }) => {
      const guardKey = `${prefix}guard`;
      const guard = { key: guardKey, modRevision: await put(storage, guardKey, "1") };
      const many = (name: string): Promise<WriteResult[]> =>
        Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            storage.put(`${prefix}${name}${index}`, bytes("x"), { expect: "absent", guard }),
          ),
        );
      const around = many("around");
      const moved = await put(storage, guardKey, "2");
      for (const result of await around) {
        if (result.done) assert.ok(result.revision < moved, `done at ${result.revision}`);
        else assert.ok(result.byGuard);
      }
      assert.ok((await many("after")).every((result) => !result.done && result.byGuard));
    },
  );

  contractTest(open, "put() of a deleted key creates it again", async ({ storage, prefix }) => {
    await put(storage, `${prefix}a`, "1");
    await done(storage.delete(`${prefix}a`, { expect: "any" }));
    const again = await done(storage.put(`${prefix}a`, bytes("2"), { expect: "absent" }));
    const { entry } = await storage.get(`${prefix}a`);
    assert.deepEqual(brief(entry), { value: "2", modRevision: again, createRevision: again });
  });

  contractTest(
    open,
    "revision() includes every acknowledged write",
    async ({ storage, prefix }) => {
      let last = await storage.revision();
      assert.ok(last >= 1);
      for (let index = 0; index < 20; index++) {
        const revision = await put(storage, `${prefix}${index}`, "x");
        assert.ok(revision > last);
        assert.ok((await storage.revision()) >= revision);
        last = revision;
      }
    },
  );

  contractTest(
    open,
    "exactly one of several parallel writes to one key wins",
    async ({ storage, prefix }) => {
      const key = `${prefix}a`;
      const rivals = (expect: Expectation): Promise<(string | undefined)[]> =>
        Promise.all(
          Array.from({ length: 20 }, async (_, index) => {
            const result = await storage.put(key, bytes(`${index}`), { expect });
            return result.done ? `${index}` : undefined;
          }),
        );
      for (let round = 0; round < 3; round++) {
        const { entry } = await storage.get(key);
        const winners = (await rivals(entry?.modRevision ?? "absent")).filter((name) => name);
        assert.equal(winners.length, 1);
        assert.deepEqual([text((await storage.get(key)).entry?.value)], winners);
      }
    },
  );

  contractTest(open, "concurrent increments lose nothing", async ({ storage, prefix }) => {
    const key = `${prefix}counter`;
    await put(storage, key, "0");
    const increment = async (): Promise<void> => {
      for (;;) {
        const { entry } = await storage.get(key);
        assert.ok(entry);
        const value = bytes(String(Number(text(entry.value)) + 1));
        if ((await storage.put(key, value, { expect: entry.modRevision })).done) return;
      }
    };
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let index = 0; index < 5; index++) await increment();
      }),
    );
    assert.equal(text((await storage.get(key)).entry?.value), "40");
  });
}

/** An entry without its key, value as text. */
function brief(entry: Entry | undefined): object | undefined {
  if (!entry) return undefined;
  const { value, modRevision, createRevision } = entry;
  return { value: text(value), modRevision, createRevision };
}
