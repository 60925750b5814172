import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import { CorruptError } from "../base/storage.ts";
import { bytes, done, pairs } from "../contract/under-test.contract.ts";
import { LmdbStorage } from "./lmdb-storage.ts";

let root: string;
let original: Buffer;
let content: [string, string][];

/** A store with small, big and deleted values, history, and free pages. */
before(async () => {
  root = await mkdtemp(join(tmpdir(), "k8ts-damage-"));
  await using storage = await LmdbStorage.open({ directory: join(root, "whole") });
  const fill = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      const value = bytes(`${index} `.repeat(index % 10 === 0 ? 4000 : 100));
      await done(storage.put(`/key/${index % 40}`, value, { expect: "any" }));
    }
  };
  await fill(300);
  await done(storage.delete("/key/7", { expect: "any" }));
  await storage.compact(await storage.revision());
  await fill(30);
  content = pairs((await storage.range("/")).entries);
  await storage[Symbol.asyncDispose]();
  original = await readFile(join(root, "whole", "data.mdb"));
});
after(() => rm(root, { recursive: true }));

test("an undamaged store opens", () => check("same", (file) => writeFile(file, original)));

const damages: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
  "is gone": (file) => rm(file),
  "is empty": (file) => truncate(file, 0),
  "is half there": (file) => truncate(file, original.length >> 1),
  "lacks its start": (file) => writeFile(file, original.subarray(8192)),
  "is something else": (file) => writeFile(file, "apiVersion: v1\n".repeat(10_000)),
};
for (const [name, damage] of Object.entries(damages)) {
  test(`a store whose file ${name} is refused`, () => check("refused", damage));
}

// The last page may be free, depending on the timing of commits.
test("a store whose file lacks its last byte is refused, unless the page is free", () =>
  check("any", (file) => truncate(file, original.length - 1)));

test("a store whose journal is missing is refused", async () => {
  const directory = join(root, "without-journal");
  await cp(join(root, "whole"), directory, { recursive: true });
  await rm(join(directory, "journal.1"));
  await assert.rejects(LmdbStorage.open({ directory }), {
    name: "CorruptError",
    message: `${join(directory, "journal.1")} is damaged: it is missing; move its directory away and restore the last snapshot with "k8ts store restore"`,
  });
});

test("a store with damaged bytes is refused, unless they are unused", async () => {
  const random = seededRandom(4);
  for (let round = 0; round < 60; round++) {
    const damaged = Buffer.from(original);
    const inMeta = round % 3 === 0;
    const place = inMeta ? randomInt(random, 200) : randomInt(random, original.length - 16);
    for (let index = 0; index < 1 + (round % 16); index++) {
      damaged[place + index] = randomInt(random, 256);
    }
    await check("any", (file) => writeFile(file, damaged));
  }
});

/**
 * Damages a copy of the store and opens it: it must be refused with a clear message, or have the
 * same content.
 */
async function check(
  expected: "same" | "refused" | "any",
  damage: (file: string) => Promise<unknown>,
): Promise<void> {
  const directory = join(root, "damaged");
  await cp(join(root, "whole"), directory, { recursive: true });
  await damage(join(directory, "data.mdb"));
  try {
    await using storage = await LmdbStorage.open({ directory });
    assert.deepEqual(pairs((await storage.range("/")).entries), content);
    assert.notEqual(expected, "refused");
  } catch (error) {
    assert.ok(error instanceof CorruptError, String(error));
    assert.ok(error.message.includes(join(directory, "data.mdb")), error.message);
    assert.match(error.message, /k8ts store restore/);
    assert.notEqual(expected, "same");
  } finally {
    await rm(directory, { recursive: true });
  }
}
