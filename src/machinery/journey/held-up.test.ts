import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMicroTime } from "../time/time.ts";
import { heldUp } from "./held-up.ts";
import type { Layer, Outcome, Step } from "./step.ts";

const at = (ms: number): string => formatMicroTime(1_700_000_000_000 + ms);

const step = (
  layer: Layer,
  name: string,
  ms: number,
  outcome: Outcome = "ok",
  rest: Partial<Step> = {},
): Step => ({
  of: { resource: "pods", namespace: "a", name: "p" },
  ...{ layer, name, from: at(ms), to: at(ms + 1), outcome },
  ...rest,
});

const pull = (ms: number, outcome: Outcome = "failed", container = "main") =>
  step("node", "pull image", ms, outcome, {
    reason: outcome === "failed" ? "ErrImagePull" : undefined,
    facts: { image: "no:1", container },
  } as Partial<Step>);

const commit = step("store", "commit", 0);
const bind = step("scheduling", "bind", 10);
const ready = step("readiness", "ready", 90);

for (const { name, steps, expected } of [
  { name: "nothing is known", steps: [], expected: undefined },
  { name: "it is ready", steps: [commit, bind, ready], expected: undefined },
  {
    name: "the way just ends",
    steps: [commit, bind],
    expected: ["scheduling", 11, 0, "nothing is reported since scheduling: bind"],
  },
  {
    name: "it fails again and again, since the first time",
    steps: [commit, bind, pull(20), pull(30), pull(50)],
    expected: ["node", 20, 3, "pull image has failed 3 times: no:1 for main; ErrImagePull"],
  },
  {
    name: "another container fails than the one that went well",
    steps: [commit, bind, pull(20, "ok", "side"), pull(30)],
    expected: ["node", 30, 1, "pull image has failed: no:1 for main; ErrImagePull"],
  },
  {
    name: "what failed went well later",
    steps: [commit, bind, pull(20), pull(30, "ok")],
    expected: ["node", 31, 0, "nothing is reported since node: pull image"],
  },
  {
    name: "it was ready before it failed",
    steps: [commit, bind, ready, pull(200)],
    expected: ["node", 200, 1, "pull image has failed: no:1 for main; ErrImagePull"],
  },
  {
    name: "it was deleted",
    steps: [commit, pull(20), step("store", "commit", 60, "ok", { facts: { verb: "delete" } })],
    expected: undefined,
  },
  {
    name: "it waits in a queue",
    steps: [
      commit,
      { ...step("scheduling", "queue", 5, "waiting"), to: undefined } as unknown as Step,
    ],
    expected: ["scheduling", 5, 0, "queue waits"],
  },
] as const) {
  test(`heldUp() if ${name}`, () => {
    const found = heldUp({ steps });
    const shown = found && [
      found.layer,
      Number(found.since.slice(20, 23)),
      found.times,
      found.sentence,
    ];
    assert.deepEqual(shown, expected);
  });
}
