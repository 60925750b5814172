import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "#/client/client.ts";
import { StepRecorder, type StepReport } from "#/client/journey/recorder.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { traceIdOf } from "#/machinery/journey/trace-ids.ts";
import { logger } from "#/std/log/log.ts";
import { startOtlpCollector } from "#/testing/otlp-collector.ts";
import { tracingOf } from "./parse-tracing-configuration.ts";
import { openSteps } from "./traced-steps.ts";

const unused = () => {
  throw new Error("unused");
};
/** A server that records no journeys. */
const transport: Transport = {
  request: async () => ({ status: 404, headers: {}, body: {}, warnings: [] }),
  stream: unused,
  watch: unused,
  upgrade: unused,
  [Symbol.asyncDispose]: async () => undefined,
};

const of = { resource: "pods", namespace: "a", name: "web-0", uid: "u1" };
const step: StepReport = {
  ...{ of, layer: "node", name: "pull image", fromMs: 1_700_000_000_000.25 },
  facts: { image: "app:1", bytes: 12, nested: { a: 1 } },
};

/** The spans that a component sends for steps to a collector. */
async function exported(samplingRatePerMillion: number, ...steps: StepReport[]) {
  await using collector = await startOtlpCollector();
  {
    const recorder = new StepRecorder(new Client(transport));
    const tracing = tracingOf({ endpoint: collector.endpoint, samplingRatePerMillion });
    const options = { service: "kubelet", log: logger("test") };
    await using sink = openSteps(recorder, tracing, options);
    for (const one of steps) sink.add(one);
  }
  return collector.spans();
}

test("openSteps() sends each finished step of an object as a span of one trace", async () => {
  const spans = await exported(
    1_000_000,
    step,
    { ...step, toMs: 1_700_000_000_003.5 },
    { ...step, name: "sandbox", toMs: 1_700_000_000_009, outcome: "failed", reason: "NoIP" },
  );
  assert.deepEqual(
    spans.map(({ traceId, name, startTimeUnixNano, endTimeUnixNano, status }) => ({
      trace: Buffer.from(traceId).toString("hex") === traceIdOf(of),
      ...{ name, startTimeUnixNano, endTimeUnixNano, error: status?.message },
    })),
    [
      {
        ...{ trace: true, name: "node: pull image", error: undefined },
        startTimeUnixNano: 1_700_000_000_000_250_000n,
        endTimeUnixNano: 1_700_000_000_003_500_000n,
      },
      {
        ...{ trace: true, name: "node: sandbox", error: "NoIP" },
        startTimeUnixNano: 1_700_000_000_000_250_000n,
        endTimeUnixNano: 1_700_000_000_009_000_000n,
      },
    ],
  );
  const facts = Object.fromEntries(
    (spans[0]?.attributes ?? []).map(({ key, value }) => [key, value?.value]),
  );
  assert.deepEqual(facts["k8s.pod.name"], { string: "web-0" });
  assert.deepEqual(facts["bytes"], { int: 12 });
  assert.deepEqual(facts["nested"], { string: '{"a":1}' });
});

test("openSteps() samples whole traces, and none at the default rate", async () => {
  const finished = { ...step, toMs: 1_700_000_000_003 };
  assert.deepEqual(await exported(0, finished), []);
  const many = Array.from({ length: 200 }, (_, index) => ({
    ...finished,
    of: { ...of, uid: `u${index}` },
  }));
  const spans = await exported(250_000, ...many, ...many.map((one) => ({ ...one, name: "x" })));
  const traces = new Set(spans.map(({ traceId }) => Buffer.from(traceId).toString("hex")));
  assert.ok(traces.size > 20 && traces.size < 90, `${traces.size} of 200`);
  assert.equal(spans.length, traces.size * 2);
});
