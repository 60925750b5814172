import assert from "node:assert/strict";
import { test } from "node:test";
import type { TablePlan } from "../plan/table-plan.ts";
import { tableChange } from "./table-text.ts";

/** Chains by name, and maps with their elements. */
function plan(chains: Record<string, string[]>, maps: Record<string, string[]>): TablePlan {
  return {
    chains: new Map(Object.entries(chains).map(([name, rules]) => [name, { rules }])),
    sets: new Map(
      Object.entries(maps).map(([name, keys]) => [
        name,
        { kind: "map", type: "t", elements: new Map(keys.map((key) => [key, `goto ${key}`])) },
      ]),
    ),
  };
}

const before = plan({ a: ["x", "y"], b: ["z"] }, { m: ["1", "2"], gone: ["3"] });

for (const { name, after, lines, stale = [] } of [
  { name: "nothing changed", after: before, lines: [] },
  {
    name: "an element comes and another goes",
    after: plan({ a: ["x", "y"], b: ["z"] }, { m: ["2", "4"], gone: ["3"] }),
    lines: ["delete element T m { 1 }", "add element T m { 4 : goto 4 }"],
  },
  {
    name: "a rule changes",
    after: plan({ a: ["x", "y"], b: ["other"] }, { m: ["1", "2"], gone: ["3"] }),
    lines: ["add chain T b", "flush chain T b", "add rule T b other"],
  },
  {
    name: "a chain and a map go",
    after: plan({ a: ["x", "y"] }, { m: ["1", "2"] }),
    lines: ["flush chain T b", "delete map T gone"],
    stale: ["b"],
  },
  {
    name: "a chain and a map come",
    after: plan({ a: ["x", "y"], b: ["z"], c: ["q"] }, { m: ["1", "2"], gone: ["3"], n: ["5"] }),
    lines: [
      "add chain T c",
      "add map T n { type t;  }",
      "add rule T c q",
      "add element T n { 5 : goto 5 }",
    ],
  },
]) {
  test(`tableChange(): ${name}`, () => {
    const { text, staleChains } = tableChange("T", before, after);
    const found = text.split("\n").slice(0, -1);
    assert.deepEqual({ found, staleChains }, { found: lines, staleChains: stale });
  });
}
