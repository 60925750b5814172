import assert from "node:assert/strict";
import { test } from "node:test";
import { type Reader, readAnswer } from "./reader.ts";

/** Serves a list of numbers by pages of two; its third page has expired if that is asked for. */
const paged = (total: number, expires = false): Reader => ({
  async read(path) {
    const from = Number(new URL(path, "http://server").searchParams.get("continue") ?? 0);
    if (expires && from === 4) return { status: 410, body: { message: "expired" } };
    const items = Array.from({ length: Math.min(2, total - from) }, (_, at) => from + at);
    const next = from + items.length;
    const metadata = next < total ? { continue: String(next) } : {};
    return { status: 200, body: { metadata, items } };
  },
});

const cases = [
  { reader: paged(2), items: 2, isWhole: true },
  { reader: paged(7), items: 7, isWhole: true },
  { reader: paged(7), maxObjects: 4, items: 4, isWhole: false },
  { reader: paged(7, true), items: 4, isWhole: false },
];

for (const [index, { reader, items, isWhole, maxObjects = 100 }] of cases.entries()) {
  test(`readAnswer() reads the pages of a list, case ${index + 1}`, async () => {
    const answer = await readAnswer("/api/v1/pods?limit=2", "json", { reader, maxObjects });
    assert.ok(answer.state === "found");
    const value = answer.value as { items: number[]; metadata: { continue?: string } };
    assert.deepEqual(
      value.items,
      Array.from({ length: items }, (_, at) => at),
    );
    assert.equal(value.metadata.continue === undefined, isWhole);
  });
}

test("readAnswer() gives the message of a failed connection", async () => {
  const reader: Reader = { read: () => Promise.reject(new Error("refused")) };
  assert.deepEqual(await readAnswer("/api/v1/pods", "json", { reader }), {
    state: "failed",
    message: "refused",
  });
});
