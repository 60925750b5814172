import assert from "node:assert/strict";
import { test } from "node:test";
import { withNearFlag } from "./near-flag.ts";

const flags = [
  "name",
  "data-dir",
  "purge",
  "keep-enabled",
  "nodes",
  "node-name",
  "pod-network-cidr",
];

for (const [message, expected] of [
  ["unknown flag: --purg", "unknown flag: --purg; did you mean --purge?"],
  ["unknown flag: --Purge", "unknown flag: --Purge; did you mean --purge?"],
  ["unknown flag: --nodez", "unknown flag: --nodez; did you mean --nodes?"],
  ["unknown flag: --nmae", "unknown flag: --nmae; did you mean --name?"],
  ["unknown flag: --pod-network", "unknown flag: --pod-network; did you mean --pod-network-cidr?"],
  ["unknown flag: --frobnicate", "unknown flag: --frobnicate"],
  ["unknown flag: --pu", "unknown flag: --pu"],
  ["flag needs an argument: --name", "flag needs an argument: --name"],
] as const) {
  test(`withNearFlag() of "${message}"`, () => {
    assert.equal(withNearFlag(message, flags), expected);
  });
}
