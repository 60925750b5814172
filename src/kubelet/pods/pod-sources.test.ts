import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { followPods } from "./pod-sources.ts";

for (const hasFiles of [true, false]) {
  test(`followPods() is complete without an API server, with${hasFiles ? "" : "out"} files`, async () => {
    const staticPodPath = hasFiles ? await mkdtemp(join(tmpdir(), "k8ts-static-")) : "";
    const ending = new AbortController();
    let complete = 0;
    const pods = {
      set: () => undefined,
      delete: () => undefined,
      complete: () => void complete++,
    };
    const sources = {
      config: { staticPodPath, fileCheckFrequency: "20s" },
      informers: undefined,
      nodeName: "n",
      pods,
      table: { isDesired: () => false },
      clock: systemClock,
    };
    await followPods(sources, ending.signal);
    assert.equal(complete, 1);
    ending.abort();
    if (hasFiles) await rm(staticPodPath, { recursive: true });
  });
}
