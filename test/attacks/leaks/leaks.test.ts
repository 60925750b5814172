import assert from "node:assert/strict";
import { test } from "node:test";
import { configureLogging } from "#/std/log/log.ts";
import { areas } from "./areas.ts";
import { measure } from "./heap.ts";

// Refused requests are part of the cycles.
configureLogging({ write: () => undefined });

for (const { name, open, count, maxKeptKiB } of areas) {
  test(`memory does not grow with the number of cycles: ${name}`, async () => {
    await using area = await open();
    const [first = 0, second = 0, third = 0] = await measure(area, 3, count);
    // One of the series may fill caches or grow tables.
    const kept = Math.min(second - first, third - second) / count;
    assert.ok(kept < maxKeptKiB, `each cycle keeps ${kept} KiB`);
  });
}
