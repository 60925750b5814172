import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { RequestOut } from "#/std/grpc/grpc.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { TraceService } from "#/std/trace/trace-service.ts";
import { implement, serve } from "#/testing/grpc-server.ts";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { openTracing } from "./open-tracing.ts";

type Export = RequestOut<(typeof TraceService)["methods"]["Export"]>;

const traceId = "0af7651916cd43dd8448eb211c80319c";
const otherTraceId = traceId.replaceAll("0", "1");
const parentId = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${parentId}-01`;
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
const bob = { name: "bob", groups: ["system:authenticated"] };

test("openTracing() sends spans of traced requests to a collector", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "tracing-"));
  t.after(() => rm(directory, { recursive: true }));
  const socket = join(directory, "collector");
  const received: Export[] = [];
  const collector = implement(TraceService, {
    Export: async (request) => {
      received.push(request);
      return {};
    },
  });
  await using _collector = await serve({ address: `unix:${socket}`, services: [collector] });
  const file = join(directory, "tracing.yaml");
  const kind = { apiVersion: "apiserver.config.k8s.io/v1", kind: "TracingConfiguration" };
  await writeFile(file, JSON.stringify({ ...kind, endpoint: `unix://${socket}` }));
  {
    await using tracing = openTracing(file, systemClock, logger("tracing-test"));
    const storage = tracing.storage(new MemoryStorage());
    await using api = await startApiServer({ storage, trace: tracing.filters });
    const url = "/api/v1/namespaces/default/configmaps";
    await api.call("GET", "/api/v1/namespaces");
    await api.call("POST", url, configMap, { headers: { traceparent } });
    const other = { headers: { traceparent: traceparent.replace(traceId, otherTraceId) } };
    await api.call("DELETE", `${url}/a`, undefined, other);
    await api.call("GET", "/api/v1/namespaces/default/pods/a/portforward", undefined, other);
    // Not every user may start a recorded trace.
    await api.call("GET", `${url}/a`, undefined, { headers: { traceparent }, user: bob });
  }
  const [resourceSpans] = received.flatMap((request) => request.resourceSpans);
  const told = Object.fromEntries(
    (resourceSpans?.resource?.attributes ?? []).map(({ key, value }) => [key, value?.value]),
  );
  assert.deepEqual(told["service.name"], { string: "apiserver" });
  const spans = received
    .flatMap((request) => request.resourceSpans)
    .flatMap((spansOfOne) => spansOfOne.scopeSpans)
    .flatMap((scoped) => scoped.spans);
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  const byId = new Map(spans.map((span) => [hex(span.spanId), span.name]));
  const ours = spans.filter((span) => hex(span.traceId) === traceId);
  assert.deepEqual(
    ours.map((span) => ({
      name: span.name,
      in: byId.get(hex(span.parentSpanId)) ?? hex(span.parentSpanId),
      trace: hex(span.traceId),
    })),
    [
      { name: "Create etcd3", in: "Create", trace: traceId },
      { name: "Create", in: "authorization", trace: traceId },
      { name: "authorization", in: "constrainedimpersonation", trace: traceId },
      {
        name: "constrainedimpersonation",
        in: "POST /api/v1/namespaces/{:namespace}/configmaps",
        trace: traceId,
      },
      { name: "POST /api/v1/namespaces/{:namespace}/configmaps", in: parentId, trace: traceId },
    ],
  );
  const gates = ["authorization", "constrainedimpersonation"];
  assert.deepEqual(
    spans.filter((span) => !ours.includes(span)).map((span) => span.name),
    [
      "Delete",
      ...gates,
      "DELETE /api/v1/namespaces/{:namespace}/configmaps/{:name}",
      ...gates,
      "GET /api/v1/namespaces/{:namespace}/pods/{:name}/portforward",
    ],
    "neither what is removed from the store nor connections have spans of their own",
  );
  const server = ours.at(-1);
  assert.equal(server?.kind, "server");
  const status = server?.attributes.find(({ key }) => key === "http.response.status_code");
  assert.deepEqual(status?.value?.value, { int: 201 });
});
