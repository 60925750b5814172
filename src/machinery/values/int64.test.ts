import assert from "node:assert/strict";
import { test } from "node:test";
import { parseInt64 } from "./int64.ts";

test("parseInt64() reads signed decimals in range and nothing else", () => {
  const cases: [string, bigint | undefined][] = [
    ["0", 0n],
    ["-0", 0n],
    ["+5", 5n],
    ["007", 7n],
    ["9223372036854775807", 9223372036854775807n],
    ["-9223372036854775808", -9223372036854775808n],
    ["9223372036854775808", undefined],
    ["", undefined],
    ["-", undefined],
    ["1.5", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["1_000", undefined],
    [" 1", undefined],
    ["1n", undefined],
    ["9".repeat(3_000_000), undefined],
  ];
  for (const [text, value] of cases) assert.equal(parseInt64(text), value);
});
