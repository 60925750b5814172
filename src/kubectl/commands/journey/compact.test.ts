import assert from "node:assert/strict";
import { test } from "node:test";
import type { Journey, Layer, Step } from "#/machinery/journey/step.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";
import { compactText } from "./compact.ts";

const of = { resource: "pods", namespace: "shop", name: "web-0" };
const at = (ms: number): string => formatMicroTime(1_700_000_000_000 + ms);

const step = (
  layer: Layer,
  name: string,
  [fromMs, toMs]: readonly [number, number],
  rest: Partial<Step> = {},
): Step => ({ of, layer, name, from: at(fromMs), to: at(toMs), outcome: "ok", ...rest });

const journey: Journey = {
  metadata: { name: "web-0", namespace: "shop" },
  of,
  steps: [
    step("client", "request", [0, 10], { facts: { verb: "create", command: "kubectl run" } }),
    step("scheduling", "attempt", [10, 12], {
      outcome: "failed",
      facts: { nodes: 2, feasible: 0, refusals: { NodeResourcesFit: 2 } },
      reason: "Unschedulable",
    }),
    step("node", "pull image", [2000, 3000], {
      facts: { image: "registry.example/a:1", bytes: 99 },
    }),
    step("readiness", "ready", [3000, 3100]),
  ],
};

test("compactText() shows a line for each layer, and gaps", () => {
  assert.equal(
    compactText(journey),
    `pods shop/web-0: ready after 3.10s, 35.8 % explained

✔ client              +0.0ms       10ms  create by kubectl run
  authentication           –
  authorization            –
  admission                –
  store                    –
  controllers              –
✘ scheduling           +10ms      2.0ms  attempt 0 of 2 nodes fit, refused by NodeResourcesFit 2; Unschedulable
✔ node                +2.00s      1.00s  pull image registry.example/a:1 99 B
✔ readiness           +3.00s      100ms  ready
  service                  –

gap of 1.99s at +12ms, between scheduling (attempt) and node (pull image): nothing is reported
`,
  );
});

test("compactText() says that it knows nothing", () => {
  const text = compactText({ ...journey, steps: [] });
  assert.equal(text, "pods shop/web-0\n\nNo step is known.\n");
});
