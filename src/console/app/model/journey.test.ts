import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Step, stepsFromStatus, timelineOf } from "./journey.ts";
import { layerTone, lessonFiles } from "./lessons.ts";
import { attemptsOf, matrixOf } from "./scheduling.ts";

const step = (layer: Step["layer"], name: string, from: number, to?: number): Step => ({
  layer,
  name,
  from: new Date(1e12 + from).toISOString(),
  ...(to === undefined ? {} : { to: new Date(1e12 + to).toISOString() }),
  outcome: "ok",
});

test("timelineOf() ends soon after the object was ready", () => {
  const steps = [
    step("node", "sandbox", 100, 300),
    step("client", "request", 0, 10),
    step("readiness", "ready", 800, 800),
    step("node", "exit", 9000, 9000),
  ];
  const { durationMs, later, readyMs, steps: placed } = timelineOf(steps, 1e12 + 10_000);
  assert.deepEqual([durationMs, later, readyMs], [1000, 1, 800]);
  assert.deepEqual(
    placed.map(({ step: { name }, left, width }) => [name, left, width]),
    [
      ["request", 0, 0.01],
      ["sandbox", 0.1, 0.2],
      ["ready", 0.8, 0],
    ],
  );
  assert.equal(timelineOf(steps, 1e12 + 10_000, true).durationMs, 9000);
  const open = timelineOf([step("scheduling", "queue", 0)], 1e12 + 500);
  assert.deepEqual(
    [open.steps[0]?.isOpen, open.steps[0]?.durationMs, open.readyMs],
    [true, 500, undefined],
  );
  assert.deepEqual(timelineOf([], 0).steps, []);
});

test("timelineOf() reads microseconds", () => {
  const at = (fraction: string) => `2026-01-01T00:00:00.${fraction}Z`;
  const { steps } = timelineOf(
    [{ layer: "store", name: "commit", from: at("000250"), to: at("001000"), outcome: "ok" }],
    0,
  );
  assert.equal(steps[0]?.durationMs.toFixed(2), "0.75");
});

test("stepsFromStatus() takes the steps of a Pod from conditions and events", () => {
  const object = {
    metadata: { name: "p", creationTimestamp: "2026-01-01T00:00:00Z" },
    status: {
      startTime: "2026-01-01T00:00:01Z",
      conditions: [
        { type: "PodScheduled", status: "True", lastTransitionTime: "2026-01-01T00:00:01Z" },
        {
          type: "Ready",
          status: "False",
          reason: "ContainersNotReady",
          lastTransitionTime: "2026-01-01T00:00:01Z",
        },
      ],
    },
  };
  const event = {
    id: "e",
    isWarning: true,
    reason: "Failed",
    message: "no image",
    source: "kubelet",
    count: 1,
    lastMs: 1e12,
    kind: "Pod",
    group: "",
    namespace: "a",
    name: "p",
  };
  const found = stepsFromStatus(object, [event]).map(
    ({ layer, name, outcome }) => `${layer} ${name} ${outcome}`,
  );
  assert.deepEqual(found, [
    "store commit ok",
    "node accept ok",
    "scheduling PodScheduled ok",
    "readiness ready waiting",
    "node Failed failed",
  ]);
});

test("matrixOf() shows refusals and scores by plugin and node", () => {
  const facts = {
    statuses: { NodeResourcesFit: { reason: "Insufficient cpu", nodes: ["n1", "n2"], count: 7 } },
    scores: [{ node: "n3", total: 150, plugins: { ImageLocality: 50, NodeAffinity: 100 } }],
  };
  const steps = [
    step("scheduling", "queue", 0, 1),
    { ...step("scheduling", "attempt", 1, 2), facts },
  ];
  const [attempt] = attemptsOf(steps);
  assert.ok(attempt);
  assert.deepEqual(matrixOf(attempt), {
    nodes: ["n3", "n1", "n2"],
    others: true,
    rows: [
      {
        plugin: "NodeResourcesFit",
        reason: "Insufficient cpu",
        cells: [undefined, "refused", "refused"],
        otherCount: 5,
      },
      { plugin: "ImageLocality", reason: "", cells: [50, undefined, undefined], otherCount: 0 },
      { plugin: "NodeAffinity", reason: "", cells: [100, undefined, undefined], otherCount: 0 },
      { plugin: "Σ", reason: "", cells: [150, undefined, undefined], otherCount: 0 },
    ],
  });
});

test("each layer's lesson names files that exist", () => {
  for (const file of Object.values(lessonFiles).flat()) {
    assert.ok(existsSync(join(import.meta.dirname, "../../../..", file)), file);
  }
  assert.deepEqual(
    [layerTone([]), layerTone([step("node", "x", 0)]), layerTone([step("node", "x", 0, 1)])],
    ["idle", "busy", "good"],
  );
});
