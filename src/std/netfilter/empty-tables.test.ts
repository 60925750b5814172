import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyTableRemoval } from "./empty-table-removal.ts";

const metainfo = { version: "1.0.6" };
const table = { family: "ip", name: "filter" };
const forward = { name: "FORWARD", hook: "forward", policy: "accept" };
const open = { name: "INPUT", hook: "input", policy: "accept" };

const cases = [
  {
    name: "removes open chains with their table",
    objects: [{ chain: open }],
    expected: "delete chain ip filter INPUT\ndelete table ip filter\n",
  },
  { name: "removes a table without chains", objects: [], expected: "delete table ip filter\n" },
  {
    name: "removes an open chain beside one in use",
    objects: [{ chain: open }, { chain: forward }, { rule: { chain: "FORWARD" } }],
    expected: "delete chain ip filter INPUT\n",
  },
  {
    name: "keeps a rule",
    objects: [{ chain: open }, { rule: { chain: "INPUT" } }],
    expected: "",
  },
  { name: "keeps a set", objects: [{ set: {} }], expected: "" },
  { name: "keeps a policy", objects: [{ chain: { ...open, policy: "drop" } }], expected: "" },
  { name: "keeps a chain of another program", objects: [{ chain: { name: "X" } }], expected: "" },
];

for (const { name, objects, expected } of cases) {
  test(`emptyTableRemoval() ${name}`, () => {
    const listed = { nftables: [{ metainfo }, { table }, ...objects] };
    assert.equal(emptyTableRemoval("ip filter", listed), expected);
  });
}
