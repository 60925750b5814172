import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import type { Node } from "#/api/core/v1.ts";
import { openTracer } from "#/component/open-tracer.ts";
import { tracingOf } from "#/component/parse-tracing-configuration.ts";
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import {
  type OtlpCollector,
  spanAttributes,
  startOtlpCollector,
} from "#/testing/otlp-collector.ts";
import { tracedApi } from "./api/traced-api.ts";
import { metricsServerFlags } from "./flags.ts";
import { Scraper } from "./scraper.ts";
import { scrapeMetrics } from "./usage/metrics.ts";

const log = logger("test");
const clock = systemClock;
const tracerTo = ({ endpoint }: OtlpCollector) =>
  openTracer(tracingOf({ endpoint, samplingRatePerMillion: 1_000_000 }), {
    ...{ service: "metrics-server", scope: "k8ts.metrics", clock, log },
  });

const node = (name: string): Node => ({
  metadata: { name },
  spec: {},
  status: { addresses: [{ type: "Hostname", address: name }] },
});

test("Scraper sends a span for each round, and in it one for each kubelet", async () => {
  await using collector = await startOtlpCollector();
  const { values } = parseFlags(metricsServerFlags, []);
  {
    await using tracing = tracerTo(collector);
    const scraper = new Scraper({
      nodes: () => [node("a"), node("b")],
      selector: parseSelector(""),
      ...{ place: values, resolutionMs: 60_000, timeoutMs: 10_000, clock, log },
      read: async ({ hostname }) => {
        if (hostname === "b") throw new Error("no route");
        return "";
      },
      metrics: scrapeMetrics(new Registry(), 60_000),
      tracer: tracing.tracer,
    });
    const stop = new AbortController();
    await scraper.run(() => stop.abort(), stop.signal);
  }
  const spans = collector.spans();
  const round = spans.find(({ name }) => name === "read kubelets");
  assert.ok(round);
  const kubelets = spans.filter(({ name }) => name === "read kubelet");
  const failures = new Map(
    kubelets.map((span) => [
      JSON.stringify(spanAttributes(span)["k8s.node.name"]),
      span.status?.message,
    ]),
  );
  const string = (value: string): string => JSON.stringify({ string: value });
  assert.equal(failures.get(string("a")), undefined);
  assert.equal(failures.get(string("b")), "Error: no route");
  assert.equal(failures.size, 2);
  for (const span of kubelets) assert.deepEqual(span.parentSpanId, round.spanId);
});

test("tracedApi() sends a span in the trace of the aggregator's client", async () => {
  await using collector = await startOtlpCollector();
  const traceId = "0123456789abcdef0123456789abcdef";
  const request = {
    method: "GET",
    url: "/apis/metrics.k8s.io/v1beta1/nodes?limit=1",
    headers: { traceparent: `00-${traceId}-0123456789abcdef-01` },
  } as unknown as IncomingMessage;
  {
    await using tracing = tracerTo(collector);
    const answers = [{ body: "{}" }, undefined];
    const api = tracedApi(
      { attributesOf: () => undefined, answer: () => answers.shift() },
      tracing.tracer,
    );
    const url = new URL("http://localhost/");
    for (const _ of [1, 2]) api.answer(url, request);
  }
  assert.deepEqual(
    collector.spans().map((span) => {
      const { int } = spanAttributes(span)["http.response.status_code"] as { int: bigint };
      return [Buffer.from(span.traceId).toString("hex"), Number(int)];
    }),
    [
      [traceId, 200],
      [traceId, 404],
    ],
  );
});
