import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, namespaces } from "#/api/core/v1.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { Client } from "./client.ts";
import { clientMetrics } from "./client-metrics.ts";
import type { ApiRequest, ApiResponse, Transport } from "./transport/transport.ts";

/** A transport that returns these responses, one after the other. */
function answering(answers: Partial<ApiResponse>[]): Transport & { requests: ApiRequest[] } {
  const requests: ApiRequest[] = [];
  const unexpected = () => Promise.reject(new Error("unexpected request"));
  return {
    requests,
    async request(request) {
      requests.push(request);
      const { status = 200, headers = {}, body = {}, warnings = [] } = answers.shift() ?? {};
      return { status, headers, body, warnings };
    },
    stream: unexpected,
    upgrade: unexpected,
    // biome-ignore lint/correctness/useYield: there is nothing to watch.
    async *watch() {
      throw new Error("unexpected request");
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const busy = { status: 429, headers: { "retry-after": "2" }, body: "busy" };

test("Client retries after the Retry-After of a busy server", async () => {
  const clock = new FakeClock();
  const transport = answering([busy, { ...busy, status: 503 }, { body: { kind: "Namespace" } }]);
  const registry = new Registry();
  const metrics = clientMetrics(registry);
  const got = new Client(transport, { clock, metrics }).get(namespaces, { name: "a" });
  await clock.advance(4000);
  assert.deepEqual(await got, { kind: "Namespace" });
  assert.equal(transport.requests.length, 3);
  const text = [...registry.expose()].join("");
  assert.match(text, /^rest_client_requests_total\{code="429",host="none",method="GET"\} 1$/m);
  assert.match(text, /^rest_client_request_retries_total\{code="200",host="none",verb="GET"\} 1$/m);
  assert.match(text, /^rest_client_request_duration_seconds_sum\{host="none",verb="GET"\} 4$/m);
});

test("Client gives up after the retry limit, and at once without Retry-After", async () => {
  const clock = new FakeClock();
  const transport = answering(Array.from({ length: 20 }, () => busy));
  const got = new Client(transport, { clock }).get(namespaces, { name: "a" });
  const refused = assert.rejects(got, {
    message:
      "the server has received too many requests and has asked us to try again later (get namespaces a)",
  });
  await clock.advance(60_000);
  await refused;
  assert.equal(transport.requests.length, 11);
  const silent = answering([{ status: 503, body: "down" }]);
  await assert.rejects(new Client(silent, { clock }).get(namespaces, { name: "a" }), {
    message: "the server is currently unable to handle the request (get namespaces a)",
  });
});

test("Client limits its request rate", async () => {
  const clock = new FakeClock();
  const transport = answering([]);
  const client = new Client(transport, { clock, qps: 1, burst: 2 });
  const all = Promise.all([1, 2, 3, 4].map(() => client.get(namespaces, { name: "a" })));
  await clock.advance(0);
  assert.equal(transport.requests.length, 2);
  await clock.advance(2000);
  await all;
});

test("Client sends its user agent, and passes warnings to onWarning", async () => {
  const warned: string[] = [];
  const transport = answering([{ warnings: ["old"] }]);
  const options = { userAgent: "me/v1", onWarning: (text: string) => void warned.push(text) };
  await new Client(transport, options).get(namespaces, { name: "a" });
  assert.deepEqual([transport.requests[0]?.headers, warned], [{ "user-agent": "me/v1" }, ["old"]]);
});

test("Client.listAll() reads all pages, and restarts when pages expire", async () => {
  await using api = await startApiServer();
  const client = api.client();
  for (const name of ["a", "b", "c", "d", "e"]) {
    await client.create(configMaps, { metadata: { name, namespace: "default" } });
  }
  const all = await client.listAll(configMaps, { limit: 2 });
  assert.deepEqual(
    all.map(({ metadata }) => metadata.name),
    ["a", "b", "c", "d", "e"],
  );
  const gone = {
    status: 410,
    body: { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410 },
  };
  const first = { metadata: { continue: "x" }, items: [{ metadata: { name: "a" } }] };
  const whole = { metadata: {}, items: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }] };
  const expiring = new Client(answering([{ body: first }, gone, { body: whole }]));
  assert.equal((await expiring.listAll(configMaps)).length, 2);
});
