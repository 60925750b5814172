import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { callInProcess, collectBody } from "#/apiserver/http/in-process.ts";
import { openJourneys } from "#/apiserver/journey/open-journeys.ts";
import { systemClock } from "#/std/time/clock.ts";
import { startSecuredServer } from "#/testing/start-secured-server.ts";
import { watchTurns } from "../stalls/measure-turns.ts";

/** Limit of a turn (ms of CPU). */
const turnMs = 100;
const tokens = ['admintoken,admin,admin-uid,"system:masters"'];

async function start() {
  const journeys = await openJourneys({ clock: systemClock, directory: undefined });
  const flags = ["--disable-admission-plugins=ServiceAccount"];
  const { recorder: marks } = journeys;
  const server = await startSecuredServer({ marks, admission: true, tokens, flags });
  await journeys.serve(server.api.registry);
  await journeys.ensurePolicy(server.handler, server.api.registry);
  const admin = (path: string, body: object) => server.as("admintoken", "POST", path, body);
  await admin("/api/v1/namespaces", { metadata: { name: "a" } });
  const spec = { containers: [{ name: "main", image: "app:1" }] };
  await admin("/api/v1/namespaces/a/pods", { metadata: { name: "web" }, spec });
  return {
    /** Posts a report; the status and the longest turn that it took. */
    async post(path: string, { body, ...headers }: Report) {
      const turns = watchTurns();
      const reply = await callInProcess(server.handler, {
        method: "POST",
        url: `/apis/journey.k8ts.dev/v1/${path}`,
        headers: {
          "content-type": "application/json",
          authorization: "Bearer admintoken",
          ...headers,
        },
        body: Buffer.from(body),
      });
      const text = (await collectBody(reply)).toString();
      const longestMs = Math.max(0, ...turns.stop().map(({ cpuMs }) => cpuMs));
      return { status: reply.status, text, longestMs };
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await journeys[Symbol.asyncDispose]();
    },
  };
}

interface Report {
  readonly body: string | Uint8Array;
  readonly "content-type"?: string;
  readonly "content-encoding"?: string;
}

const protobuf = { "content-type": "application/x-protobuf" };
const zipped = { "content-encoding": "gzip" };
/** Almost the limit of a body after it is inflated (bytes). */
const large = (4 << 20) - 1024;

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const resource = { attributes: [text("k8s.pod.name", "web"), text("k8s.namespace.name", "a")] };
const filled = (one: string, bytes: number): string =>
  `{"resourceSpans":[${Array(Math.floor(bytes / (one.length + 1))).fill(one)}]}`;
const emptyParts = (bytes: number): Buffer => Buffer.alloc(bytes, Buffer.from([10, 0]));

const refused: readonly (readonly [string, number, Report])[] = [
  ["empty resources", 413, { body: filled("{}", 3_000_000) }],
  ["compressed empty resources", 413, { body: gzipSync(filled("{}", large)), ...zipped }],
  [
    "compressed resources of a Pod",
    413,
    { body: gzipSync(filled(JSON.stringify({ resource }), large)), ...zipped },
  ],
  ["more resources than spans", 400, { body: filled("{}", 10_000) }],
  ["empty records of protobuf", 400, { body: emptyParts(3_000_000), ...protobuf }],
  [
    "compressed records of protobuf",
    400,
    { body: gzipSync(emptyParts(large)), ...protobuf, ...zipped },
  ],
  ["a bomb", 400, { body: gzipSync(Buffer.alloc(64 << 20)), ...zipped }],
];

test("spans of applications hold up no other request, however many fit into a body", async () => {
  await using journeys = await start();
  for (const [name, expected, report] of refused) {
    const { status, longestMs } = await journeys.post("traces", report);
    assert.equal(status, expected, name);
    assert.ok(longestMs < turnMs, `${name}: a turn of ${longestMs.toFixed(0)} ms`);
  }
  const attributes = Array.from({ length: 10 }, (_, index) => text(`http.key${index}`, "value"));
  const spans = Array.from({ length: 2048 }, (_, index) => ({
    ...{ traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" },
    ...{ name: `GET /${index}`, startTimeUnixNano: "1700000000000000000", attributes },
  }));
  const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
  const accepted = await journeys.post("traces", { body: gzipSync(body), ...zipped });
  assert.deepEqual([accepted.status, accepted.text], [200, "{}\n"]);
  assert.ok(accepted.longestMs < turnMs, `a turn of ${accepted.longestMs.toFixed(0)} ms`);
});

test("steps of components hold up no other request", async () => {
  await using journeys = await start();
  const many = `{"items":[${Array(1_000_000).fill("{}")}]}`;
  const { status, longestMs } = await journeys.post("steps", { body: many });
  assert.equal(status, 413);
  assert.ok(longestMs < turnMs, `a turn of ${longestMs.toFixed(0)} ms`);
});
