import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Event } from "#/api/audit/v1.ts";
import { forbidden, type StatusError, unauthorized } from "#/machinery/meta/status-error.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { apiServerFlags } from "../flags/index.ts";
import { bytesReply, type Exchange, type Handler } from "../model/exchange.ts";
import { parseRequestInfo } from "../model/request-info.ts";
import { AuditBuffer, type WaitingEvent } from "./audit-buffer.ts";
import { legacyLine } from "./audit-event.ts";
import { auditFailedAuthentication, auditRequests } from "./audit-filter.ts";
import { AuditLog } from "./audit-log.ts";
import { AuditMetrics } from "./audit-metrics.ts";
import { AuditPolicy } from "./audit-policy.ts";
import { openAudit } from "./open-audit.ts";
import { sizeOf, truncateEvents } from "./truncate-events.ts";

const clock = new FakeClock(Date.UTC(2026, 0, 1));
const registry = new Registry();
const metrics = new AuditMetrics(registry);

function exchangeFor(method: string, path: string, body: object = {}): Exchange {
  const query = new URLSearchParams();
  return {
    method,
    path,
    rawPath: path,
    query,
    headers: { "user-agent": "kubectl", "content-type": "application/json" },
    info: parseRequestInfo({ method, path, query }),
    peer: { address: "10.0.0.1", certificates: [], secure: true },
    user: { name: "alice", uid: "1", groups: ["g"] },
    auditId: "id",
    receivedMs: clock.monotonicMs(),
    annotations: new Map([["authorization.k8s.io/decision", "allow"]]),
    readBody: () => Promise.resolve(Buffer.from(JSON.stringify(body))),
  } as unknown as Exchange;
}

async function recorded(level: "Metadata" | "Request" | "RequestResponse", handler: Handler) {
  const events: Event[] = [];
  const policy = new AuditPolicy({ metadata: {}, rules: [{ level }] });
  const sinks = [
    {
      record: (event: Event) => void events.push(event),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  ];
  const exchange = exchangeFor("POST", "/api/v1/namespaces/a/pods", { kind: "Pod" });
  await auditRequests({ policy, sinks, clock, metrics })(exchange, handler).catch(() => undefined);
  return events;
}

const answer: Handler = async (exchange) => {
  await exchange.readBody(100);
  return bytesReply(201, "application/json", Buffer.from('{"kind":"Pod","metadata":{}}'));
};

test("auditRequests() records user, request and times", async () => {
  const [first, last] = await recorded("Metadata", answer);
  assert.deepEqual(last, {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: "id",
    stage: "ResponseComplete",
    requestURI: "/api/v1/namespaces/a/pods",
    verb: "create",
    user: { username: "alice", uid: "1", groups: ["g"] },
    sourceIPs: ["10.0.0.1"],
    userAgent: "kubectl",
    objectRef: { resource: "pods", namespace: "a", apiVersion: "v1" },
    responseStatus: { metadata: {}, code: 201 },
    requestReceivedTimestamp: "2026-01-01T00:00:00.000000Z",
    stageTimestamp: "2026-01-01T00:00:00.000000Z",
    annotations: { "authorization.k8s.io/decision": "allow" },
  });
  assert.equal(first?.stage, "RequestReceived");
  assert.equal(first?.responseStatus, undefined);
});

test("auditRequests() records objects as its level requires", async () => {
  const request = (await recorded("Request", answer)).at(-1);
  assert.deepEqual(request?.requestObject, { kind: "Pod" });
  assert.equal(request?.responseObject, undefined);
  const both = (await recorded("RequestResponse", answer)).at(-1);
  assert.deepEqual(both?.responseObject, { kind: "Pod", metadata: {} });
});

test("auditRequests() records refusals", async () => {
  const refuse: Handler = () =>
    Promise.reject(forbidden({ group: "", name: "pods" }, "a", "may not"));
  const last = (await recorded("Metadata", refuse)).at(-1);
  assert.equal(last?.responseStatus?.code, 403);
  assert.equal(last?.responseStatus?.reason, "Forbidden");
});

const turnedAway: readonly { authorization?: string; query?: string; shown: string }[] = [
  { shown: "no credentials provided" },
  { authorization: "Bearer secret", shown: "attempted: bearer" },
  { authorization: "Basic secret", shown: "attempted: basic" },
  { authorization: "secret", shown: "no credentials provided" },
  { query: "access_token=secret", shown: "attempted: access_token" },
];
for (const { authorization, query = "", shown } of turnedAway) {
  const name = `${authorization ?? "nothing"} ${query}`.trim();
  test(`auditFailedAuthentication() records requests with ${name}`, async () => {
    const events: Event[] = [];
    const policy = new AuditPolicy({ metadata: {}, rules: [{ level: "Metadata" }] });
    const sinks = [
      {
        record: (event: Event) => void events.push(event),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
    ];
    const headers = authorization ? { authorization } : {};
    const exchange = { ...exchangeFor("GET", "/api/v1/pods"), headers, user: undefined };
    const asked = Object.assign(exchange, { query: new URLSearchParams(query) });
    const filter = auditFailedAuthentication({ policy, sinks, clock, metrics });
    await assert.rejects(filter(asked, () => Promise.reject(unauthorized("Unauthorized"))));
    assert.equal(events[0]?.responseStatus?.code, 401);
    assert.equal(events[0]?.responseStatus?.message, `Authentication failed, ${shown}`);
    assert.deepEqual(events[0]?.user, {});
  });
}

test("AuditLog rotates a full file, and keeps the configured number of files", async () => {
  const directory = await mkdtemp(join(tmpdir(), "audit-"));
  try {
    const path = join(directory, "audit.log");
    const log = new AuditLog({
      path,
      format: "json",
      maxBytes: 600,
      maxBackups: 2,
      maxAgeDays: 0,
      compress: false,
      clock: new FakeClock(Date.UTC(2026, 0, 1)),
      log: logger("test"),
      metrics,
    });
    const [event] = await recorded("Metadata", answer);
    assert.ok(event);
    for (let n = 0; n < 8; n++) await log.record(event);
    await log[Symbol.asyncDispose]();
    const files = await readdir(directory);
    assert.ok(files.length >= 2 && files.length <= 3, files.join(" "));
    assert.equal(JSON.parse((await readFile(path, "utf8")).split("\n")[0] ?? "").auditID, "id");
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("AuditBuffer delivers many events at a time", async () => {
  const lists: (readonly WaitingEvent[])[] = [];
  const time = new FakeClock();
  const buffer = new AuditBuffer({
    deliver: async (events) => void lists.push(events),
    bufferSize: 10,
    maxBatchSize: 3,
    maxWaitMs: 1000,
    clock: time,
    log: logger("test"),
    metrics,
  });
  const [event] = await recorded("Metadata", answer);
  assert.ok(event);
  for (let n = 0; n < 4; n++) buffer.record(event);
  await time.advance(1000);
  await buffer[Symbol.asyncDispose]();
  assert.deepEqual(
    lists.map((events) => events.length),
    [3, 1],
  );
});

test("AuditBuffer delivers batches within the size limit, and drops events over the capacity", async () => {
  const lists: (readonly WaitingEvent[])[] = [];
  const time = new FakeClock();
  const [event] = await recorded("Metadata", answer);
  assert.ok(event);
  const buffer = new AuditBuffer({
    deliver: async (events) => void lists.push(events),
    bufferSize: 5,
    maxBatchSize: 100,
    maxWaitMs: 1000,
    maxBatchBytes: 2 * (await sizeOf(event)),
    throttle: { qps: 1, burst: 2 },
    clock: time,
    log: logger("test"),
    metrics,
  });
  for (let n = 0; n < 7; n++) buffer.record(event);
  await time.advance(1000);
  assert.equal(lists.length, 2);
  await time.advance(1000);
  assert.deepEqual(
    lists.map((events) => events.length),
    [2, 2, 1],
  );
});

test("AuditBuffer drops events whose bodies need too much memory", async () => {
  const lists: (readonly WaitingEvent[])[] = [];
  const time = new FakeClock();
  const [event] = await recorded("Metadata", answer);
  assert.ok(event);
  const buffer = new AuditBuffer({
    deliver: async (events) => void lists.push(events),
    bufferSize: 10_000,
    maxBatchSize: 10_000,
    maxWaitMs: 1000,
    clock: time,
    log: logger("test"),
    metrics,
  });
  const count = (): number => lists.flat().length;
  for (let n = 0; n < 100; n++) buffer.record(event, 3 << 20);
  await time.advance(1000);
  assert.equal(count(), 21);
  for (let n = 0; n < 5; n++) buffer.record(event, 100 << 20);
  await time.advance(1000);
  assert.equal(count(), 22, "one event is accepted, whatever its size");
});

test("truncateEvents() removes objects, and drops events that are still too large", async () => {
  const kept: Event[] = [];
  const sink = {
    record: (event: Event) => void kept.push(event),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const [event] = await recorded("Metadata", answer);
  assert.ok(event);
  const large = { ...event, requestObject: { data: "x".repeat(5000) } } as unknown as Event;
  const options = { log: logger("test"), metrics };
  const maxEventBytes = (await sizeOf(event)) + 100;
  await truncateEvents(sink, { ...options, maxEventBytes }).record(large);
  await truncateEvents(sink, { ...options, maxEventBytes: 100 }).record(large);
  const annotations = { ...event.annotations, "audit.k8s.io/truncated": "true" };
  assert.deepEqual(kept, [{ ...event, annotations }]);
});

test("legacyLine() writes an event in upstream's legacy format", async () => {
  const last = (await recorded("Metadata", answer)).at(-1);
  assert.ok(last);
  assert.equal(
    legacyLine(last),
    '2026-01-01T00:00:00.000000Z AUDIT: id="id" stage="ResponseComplete" ip="10.0.0.1" method="create" user="alice" groups="\\"g\\"" as="<self>" asgroups="<lookup>" user-agent="kubectl" namespace="a" uri="/api/v1/namespaces/a/pods" response="201"',
  );
});

for (const { mode, status } of [
  { mode: "blocking", status: 201 },
  { mode: "blocking-strict", status: 500 },
  { mode: "batch", status: 201 },
]) {
  test(`openAudit() with a log that can't be written, in mode ${mode}: ${status}`, async () => {
    const directory = await mkdtemp(join(tmpdir(), "audit-"));
    try {
      const policyFile = join(directory, "policy.yaml");
      const policyText = "{kind: Policy, apiVersion: audit.k8s.io/v1, rules: [{level: Metadata}]}";
      await writeFile(policyFile, policyText);
      const { values } = parseFlags(apiServerFlags, [
        `--audit-policy-file=${policyFile}`,
        `--audit-log-path=${join(directory, "nowhere", "audit.log")}`,
        `--audit-log-mode=${mode}`,
      ]);
      const own = new Registry();
      const opened = await openAudit(values, clock, { metrics: own });
      assert.ok(opened);
      const exchange = exchangeFor("POST", "/api/v1/namespaces/a/pods");
      const reply = auditRequests({ ...opened, clock })(exchange, answer);
      const got = await reply.catch((error: StatusError) => ({ status: error.code }));
      assert.equal(got.status, status);
      await opened[Symbol.asyncDispose]();
      const lines = [...own.expose()].join("").split("\n");
      const value = (name: string) => lines.find((line) => line.startsWith(`${name} `));
      const events = status === 500 ? 1 : 2;
      assert.deepEqual(
        [
          value("apiserver_audit_event_total"),
          value('apiserver_audit_level_total{level="Metadata"}'),
          value('apiserver_audit_error_total{plugin="log"}'),
          value("apiserver_audit_requests_rejected_total"),
        ],
        [
          `apiserver_audit_event_total ${events}`,
          'apiserver_audit_level_total{level="Metadata"} 1',
          `apiserver_audit_error_total{plugin="log"} ${events}`,
          `apiserver_audit_requests_rejected_total ${status === 500 ? 1 : 0}`,
        ],
      );
    } finally {
      await rm(directory, { recursive: true });
    }
  });
}
