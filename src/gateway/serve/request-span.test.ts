import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { test } from "node:test";
import { openTracer } from "#/component/open-tracer.ts";
import { tracingOf } from "#/component/parse-tracing-configuration.ts";
import { systemRandom } from "#/std/base/random.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import {
  type OtlpCollector,
  spanAttributes,
  startOtlpCollector,
} from "#/testing/otlp-collector.ts";
import { Backends } from "../backends/backends.ts";
import { buildRouteTable, type Target } from "../table/route-table.ts";
import { Forwarder } from "./forwarder.ts";
import { Listener } from "./listener.ts";

const none: Target = { kind: "reply", status: 404, text: "none\n" };
const target: Target = { kind: "backend", namespace: "shop", service: "web", port: 80 };
const table = buildRouteTable([{ host: "", match: "Prefix", path: "/web", target }], none);
const clientTrace = "0123456789abcdef0123456789abcdef";
const clientSpan = "0123456789abcdef";

/** A gateway that sends its spans to a collector, in front of a backend that remembers the headers of a request. */
async function tracedGateway(collector: OtlpCollector, perMillion: number) {
  const stack = new AsyncDisposableStack();
  const seen: IncomingHttpHeaders[] = [];
  const backend = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(request.url === "/web/broken" ? 500 : 200).end();
  });
  backend.listen(0, "127.0.0.1");
  await once(backend, "listening");
  stack.defer(() => void backend.close());
  const { port } = backend.address() as { port: number };
  const backends = new Backends({
    service: () => ({ metadata: {}, spec: { ports: [{ port: 80, name: "p" }] } }),
    slices: () => [
      {
        ...{ metadata: {}, addressType: "IPv4", ports: [{ name: "p", port }] },
        endpoints: [{ addresses: ["127.0.0.1"] }],
      },
    ],
  });
  const tracing = tracingOf({
    ...{ endpoint: collector.endpoint, samplingRatePerMillion: perMillion },
  });
  const names = { service: "k8ts-gateway", scope: "k8ts.gateway" };
  const { tracer } = stack.use(
    openTracer(tracing, { ...names, clock: systemClock, log: logger("test") }),
  );
  const options = { clock: systemClock, random: systemRandom, onReply: () => undefined };
  const forwarder = stack.use(new Forwarder({ ...options, backends, tracer }));
  const listener = stack.use(
    new Listener({ forwarder, findTable: () => table, clock: systemClock, publicPort: 80 }),
  );
  const url = `http://127.0.0.1:${await listener.listen(0, "127.0.0.1")}`;
  return { seen, url, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const traceparent = `00-${clientTrace}-${clientSpan}-01`;

test("the gateway sends a span for each request, and the backend gets it as parent", async () => {
  await using collector = await startOtlpCollector();
  const seen: IncomingHttpHeaders[] = [];
  {
    await using gateway = await tracedGateway(collector, 1_000_000);
    await fetch(`${gateway.url}/web/a?token=x`, { headers: { traceparent } });
    await fetch(`${gateway.url}/web/broken`);
    await fetch(`${gateway.url}/absent`);
    seen.push(...gateway.seen);
  }
  const spans = collector.spans();
  assert.deepEqual(
    spans.map((span) => {
      const attributes = spanAttributes(span);
      const status = attributes["http.response.status_code"] as { int: bigint };
      const facts = [attributes["url.path"], attributes["k8s.service.name"]];
      return [...facts, Number(status.int), span.status?.message];
    }),
    [
      [{ string: "/web/a" }, { string: "web" }, 200, undefined],
      [{ string: "/web/broken" }, { string: "web" }, 500, "status 500"],
      [{ string: "/absent" }, undefined, 404, undefined],
    ],
  );
  const [first] = spans;
  assert.ok(first);
  assert.equal(hex(first.traceId), clientTrace);
  assert.equal(hex(first.parentSpanId), clientSpan);
  const spanId = hex(first.spanId);
  assert.equal(seen[0]?.["traceparent"], `00-${clientTrace}-${spanId}-01`);
  assert.ok(!JSON.stringify(spans.map(spanAttributes), bigintText).includes("token"));
});

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const bigintText = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;

test("a client can't have its requests recorded, and its own trace reaches the backend", async () => {
  await using collector = await startOtlpCollector();
  const seen: IncomingHttpHeaders[] = [];
  {
    await using gateway = await tracedGateway(collector, 0);
    await fetch(`${gateway.url}/web/a`, { headers: { traceparent } });
    seen.push(...gateway.seen);
  }
  assert.deepEqual(collector.spans(), []);
  assert.equal(seen[0]?.["traceparent"], traceparent);
});
