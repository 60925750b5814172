import assert from "node:assert/strict";
import { test } from "node:test";
import { parseVersion } from "./object-version.ts";

const zeros = "0".repeat(1_000_000);
const accepted: readonly (readonly [text: string, version: bigint])[] = [
  ["0", 0n],
  ["18446744073709551615", 2n ** 64n - 1n],
  [`${zeros}7`, 7n],
  [zeros, 0n],
];
for (const [text, version] of accepted) {
  test(`parseVersion() reads ${text.slice(0, 25)}`, () => {
    assert.equal(parseVersion(text), version);
  });
}

const refused: readonly (readonly [text: string, problem: string])[] = [
  ["", "invalid syntax"],
  ["-1", "invalid syntax"],
  [`${zeros}x`, "invalid syntax"],
  ["18446744073709551616", "value out of range"],
  ["9".repeat(3_000_000), "value out of range"],
];
for (const [text, problem] of refused) {
  test(`parseVersion() refuses ${text.slice(0, 25) || "nothing"}: ${problem}`, () => {
    const message = `strconv.ParseUint: parsing "${text}": ${problem}`;
    assert.throws(() => parseVersion(text), { message });
  });
}
