import assert from "node:assert/strict";
import { test } from "node:test";
import { tracingOf } from "#/component/parse-tracing-configuration.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { spanAttributes, startOtlpCollector } from "#/testing/otlp-collector.ts";
import { QuerySpans } from "./query-spans.ts";

const query = {
  ...{ name: "web.shop.svc.cluster.local", type: "A", rcode: "NOERROR" },
  ...{ transport: "udp", source: "kubernetes" },
};

test("QuerySpans sends a span for each query, with its failure", async () => {
  await using collector = await startOtlpCollector();
  const tracing = tracingOf({ endpoint: collector.endpoint, samplingRatePerMillion: 1_000_000 });
  {
    await using spans = new QuerySpans(tracing, systemClock, logger("test"));
    spans.begin()?.(query);
    spans.begin()?.({ ...query, name: "a.example", source: "none", error: "no server answers" });
  }
  assert.deepEqual(
    collector.spans().map((span) => ({ error: span.status?.message, ...spanAttributes(span) })),
    [
      {
        error: undefined,
        "dns.question.name": { string: "web.shop.svc.cluster.local" },
        "dns.question.type": { string: "A" },
        "dns.response_code": { string: "NOERROR" },
        "network.transport": { string: "udp" },
        "k8ts.answered_from": { string: "kubernetes" },
      },
      {
        error: "no server answers",
        "dns.question.name": { string: "a.example" },
        "dns.question.type": { string: "A" },
        "dns.response_code": { string: "NOERROR" },
        "network.transport": { string: "udp" },
        "k8ts.answered_from": { string: "none" },
      },
    ],
  );
});

test("QuerySpans makes nothing of queries that are not sampled", async () => {
  await using collector = await startOtlpCollector();
  const tracing = tracingOf({ endpoint: collector.endpoint, samplingRatePerMillion: 0 });
  await using spans = new QuerySpans(tracing, systemClock, logger("test"));
  assert.equal(spans.begin(), undefined);
});
