import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMicroTime } from "../time/time.ts";
import { analyse } from "./analyse.ts";
import type { Layer, Step } from "./step.ts";

const at = (ms: number): string => formatMicroTime(1_700_000_000_000 + ms);

function step(layer: Layer, fromMs: number, toMs: number, rest: Partial<Step> = {}): Step {
  const of = { resource: "pods", namespace: "a", name: "p" };
  return { of, layer, name: "x", from: at(fromMs), to: at(toMs), outcome: "ok", ...rest };
}

const ready = (fromMs: number, toMs: number) => step("readiness", fromMs, toMs, { name: "ready" });

const summary = (...steps: Step[]) => {
  const found = analyse({ steps });
  return {
    explained: found?.explained,
    gaps: found?.gaps.map(({ fromMs, toMs }) => [fromMs % 10_000, toMs % 10_000]),
    ready: found?.readyMs === undefined ? undefined : found.readyMs % 10_000,
  };
};

for (const { name, steps, expected } of [
  {
    name: "counts overlapping steps once",
    steps: [step("client", 0, 60), step("store", 20, 80), ready(80, 100)],
    expected: { explained: 1, gaps: [], ready: 100 },
  },
  {
    name: "shows a gap, and invents nothing for it",
    steps: [step("client", 0, 40), ready(90, 100)],
    expected: { explained: 0.5, gaps: [[40, 90]], ready: 100 },
  },
  {
    name: "ignores what comes after readiness",
    steps: [step("client", 0, 50), ready(50, 100), step("store", 900, 950)],
    expected: { explained: 1, gaps: [], ready: 100 },
  },
  {
    name: "ends with the last step while the object is not ready",
    steps: [step("client", 0, 25), step("scheduling", 75, 100, { outcome: "waiting" })],
    expected: { explained: 0.5, gaps: [[25, 75]], ready: undefined },
  },
]) {
  test(`analyse() ${name}`, () => {
    assert.deepEqual(summary(...steps), expected);
  });
}

test("analyse() finds clocks that are slow or fast", () => {
  const bound = step("store", 1000, 1001, { facts: { subresource: "binding" } });
  const early = step("node", 400, 500, { by: "system:node:slow" });
  const late = step("node", 9000, 9001, { by: "system:node:fast", facts: { clockAheadMs: 700 } });
  assert.deepEqual(analyse({ steps: [bound, early, late] })?.skews, [
    { by: "system:node:slow", ms: -600 },
    { by: "system:node:fast", ms: 700 },
  ]);
});

test("analyse() of impossible times has no negative length, and names the clock", () => {
  const by = "system:node:odd";
  const made = step("store", 1000, 1010);
  const started = step("node", 400, 300, { by });
  const isReady = step("readiness", 500, 450, { name: "ready", by });
  const found = analyse({ steps: [made, started, isReady] });
  assert.deepEqual(found?.setBack, [by]);
  assert.equal((found?.readyMs ?? 0) - (found?.startMs ?? 0), 100);
  for (const { fromMs, toMs, busyMs } of found?.layers ?? []) {
    assert.ok(toMs >= fromMs && busyMs >= 0);
  }
  for (const { fromMs, toMs } of found?.gaps ?? []) assert.ok(toMs > fromMs);
  assert.ok(found && found.explained >= 0 && found.explained <= 1);
});

test("analyse() shows the time in which a component could not report as a gap", () => {
  const steps = [step("store", 0, 10), step("scheduling", 10, 20), step("service", 5020, 5030)];
  const found = analyse({ steps });
  assert.deepEqual(
    found?.gaps.map(({ after, before, fromMs, toMs }) => [
      after.layer,
      before.layer,
      toMs - fromMs,
    ]),
    [["scheduling", "service", 5000]],
  );
  assert.ok(found?.missing.includes("node") && found.missing.includes("readiness"));
  assert.equal(found?.readyMs, undefined);
});

test("analyse() says of a layer that failed and then succeeded that it was retried", () => {
  const steps = [step("node", 0, 1, { outcome: "failed" }), step("node", 2, 3)];
  assert.equal(analyse({ steps })?.layers[0]?.outcome, "retried");
});

test("analyse() knows nothing of a journey without steps", () => {
  assert.equal(analyse({ steps: [] }), undefined);
});
