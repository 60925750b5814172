import assert from "node:assert/strict";
import { test } from "node:test";
import { keptDisabled } from "./kept-disabled.ts";

const disabled = ["gateway", "metrics-server"];
const cases = [
  { name: "a new cluster", found: undefined, flags: [], kept: [] },
  { name: "an earlier choice", found: { disabled }, flags: ["nodes"], kept: disabled },
  { name: "a choice of this command", found: { disabled }, flags: ["disable"], kept: [] },
] as const;

for (const { name, found, flags, kept } of cases) {
  test(`keptDisabled() of ${name}`, () => {
    const changed = new Set<string>(flags);
    assert.deepEqual(keptDisabled({ found, planned: { disabled }, changed }), kept);
  });
}
