import assert from "node:assert/strict";
import { test } from "node:test";
import { criDeadlineMs } from "./deadlines.ts";

const cases: [string, object, number | undefined][] = [
  ["ListContainers", {}, 120_000],
  ["RemoveImage", { image: {} }, 120_000],
  ["ReopenContainerLog", { containerId: "c" }, 120_000],
  ["RunPodSandbox", {}, 240_000],
  ["StopContainer", { containerId: "c", timeout: 30 }, 150_000],
  ["ExecSync", { cmd: [], timeout: 5 }, 125_000],
  ["ExecSync", { cmd: [] }, undefined],
  ["PullImage", {}, undefined],
];
for (const [method, request, expected] of cases) {
  test(`criDeadlineMs() of ${method} ${JSON.stringify(request)}`, () => {
    assert.equal(criDeadlineMs(method, request, 120_000), expected);
  });
}
