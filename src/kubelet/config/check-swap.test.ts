import assert from "node:assert/strict";
import { test } from "node:test";
import { swapProblem } from "./check-swap.ts";

const noSwap = { swapBytes: 0, cgroupVersion: 2 } as const;
const withSwap = { swapBytes: 1, cgroupVersion: 2 } as const;
const limited = { memorySwap: { swapBehavior: "LimitedSwap" }, failSwapOn: false };
const cases = [
  ["no swap", { failSwapOn: true }, noSwap, undefined],
  ["swap that is allowed", { failSwapOn: false }, withSwap, undefined],
  ["swap that is limited", limited, withSwap, undefined],
  ["swap, by default", { failSwapOn: true }, withSwap, /^running with swap on is not supported/],
  [
    "a limit that the kernel doesn't have",
    limited,
    { swapBytes: 1, cgroupVersion: 1 },
    /only supported with cgroupv2$/,
  ],
] as const;
for (const [name, config, machine, expected] of cases) {
  test(`swapProblem() of ${name}`, () => {
    const problem = swapProblem(config, machine);
    if (expected) assert.match(problem ?? "", expected);
    else assert.equal(problem, undefined);
  });
}
