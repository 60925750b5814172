import assert from "node:assert/strict";
import { test } from "node:test";
import { tableSizes } from "./table-sizes.ts";
import { compareDays, type Day, simulateDays } from "./week.ts";

test("tables, timers and stored objects of a simulated cluster are the same after each day", async () => {
  const lines: string[] = [];
  const onDay = (line: string) => void lines.push(line);
  const failure = await simulateDays({ seed: 1, days: 2, hours: 1, troubles: true, onDay });
  assert.equal(failure, undefined);
  assert.match(lines.join("\n"), /^day 1: 5 leases, .*\nday 2: 5 leases, /);
});

test("a table that grows is counted, wherever it is", () => {
  const before = tableSizes();
  const hidden = new (class {
    readonly #table = new Map(Array.from({ length: 1_000 }, (_, n) => [`hidden-${n}`, n]));
    readonly size = () => this.#table.size;
  })();
  const after = tableSizes();
  assert.equal(after.entries - before.entries, hidden.size());
  assert.match(after.largest.join("\n"), /^1000: hidden-997, hidden-998, hidden-999$/m);
});

const tables = { entries: 10_000, elements: 50_000, largest: ["900: a, b"], heapBytes: 1 };
const first: Day = { objects: new Map([["pods", 2]]), timers: 100, watches: 10, tables };

for (const [what, change, problem] of [
  ["the same", {}, undefined],
  ["fewer objects", { objects: new Map([["pods", 1]]) }, undefined],
  ["an object", { objects: new Map([["pods", 3]]) }, "3 pods are stored, 2 on the first day"],
  ["a kind", { objects: new Map([["events", 1]]) }, "1 events are stored, 0 on the first day"],
  ["a watch", { watches: 11 }, /^11 watches are open, 10 on the first day/],
  ["timers", { timers: 150 }, /^150 timers are pending, 100 on the first day/],
  ["entries", { tables: { ...tables, entries: 11_000 } }, /^11000 entries .*\n {2}900: a, b$/],
  ["elements", { tables: { ...tables, elements: 60_000 } }, /^60000 elements are in arrays/],
] as const) {
  test(`a day is compared with the first one: ${what}`, () => {
    const found = compareDays(first, { ...first, ...change });
    if (problem instanceof RegExp) assert.match(found ?? "", problem);
    else assert.equal(found, problem);
  });
}
