import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Journey } from "#/machinery/journey/step.ts";
import { systemClock } from "#/std/time/clock.ts";
import { TraceService } from "#/std/trace/trace-service.ts";
import { startSecuredServer } from "#/testing/start-secured-server.ts";
import { callInProcess, collectBody } from "../http/in-process.ts";
import { openJourneys } from "./open-journeys.ts";

const tokens = [
  'admintoken,admin,admin-uid,"system:masters"',
  "alicetoken,alice,alice-uid",
  'othertoken,system:serviceaccount:b:default,other-uid,"system:serviceaccounts"',
];
const url = "/apis/journey.k8ts.dev/v1/traces";
const journeyOf = (namespace: string, name: string) =>
  `/apis/journey.k8ts.dev/v1/namespaces/${namespace}/journeys/${name}`;

async function start(takesSpans = true) {
  const journeys = await openJourneys({ clock: systemClock, directory: undefined, takesSpans });
  const server = await startSecuredServer({
    marks: journeys.recorder,
    admission: true,
    tokens,
    flags: ["--disable-admission-plugins=ServiceAccount"],
  });
  await journeys.serve(server.api.registry);
  await journeys.ensurePolicy(server.handler, server.api.registry);
  const admin = (path: string, body: object) => server.as("admintoken", "POST", path, body);
  await admin("/api/v1/namespaces", { metadata: { name: "a" } });
  await admin("/api/v1/namespaces/a/serviceaccounts", { metadata: { name: "app" } });
  const tokenOf = async (name: string): Promise<string> => {
    const spec = { serviceAccountName: "app", containers: [{ name: "main", image: "app:1" }] };
    const pod = await admin("/api/v1/namespaces/a/pods", { metadata: { name }, spec });
    const { uid } = pod.json.metadata as { uid: string };
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name, uid };
    const path = "/api/v1/namespaces/a/serviceaccounts/app/token";
    const made = await admin(path, { spec: { audiences: [], boundObjectRef } });
    assert.equal(made.status, 201, made.text);
    return made.json.status.token as string;
  };
  const post = async (token: string, body: Uint8Array, headers = {}) => {
    const given = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const request = { method: "POST", url, headers: { ...given, ...headers }, body };
    const answer = await callInProcess(server.handler, request);
    return { status: answer.status, bytes: await collectBody(answer) };
  };
  const spansOf = async (name: string) =>
    ((await server.as("admintoken", "GET", journeyOf("a", name))).json as Journey).spans ?? [];
  return {
    ...{ server, tokenOf, post, spansOf },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await journeys[Symbol.asyncDispose]();
    },
  };
}

/** A request of one span, as an SDK sends it as JSON. */
const jsonBody = (name: string, resource: Readonly<Record<string, string>> = {}) => {
  const attributes = Object.entries({ "service.name": "shop", ...resource }).map(([key, text]) => ({
    key,
    value: { stringValue: text },
  }));
  const span = {
    ...{ traceId: "0AF7651916CD43DD8448EB211C80319C", spanId: "b7ad6b7169203331", name, kind: 2 },
    ...{ startTimeUnixNano: "1700000000000000000", endTimeUnixNano: "1700000000001500000" },
    attributes: [
      { key: "http.route", value: { stringValue: "/cart" } },
      { key: "http.response.status_code", value: { intValue: "200" } },
      { key: "http.request.header.authorization", value: { stringValue: "Bearer secret" } },
    ],
    status: { code: 2, message: "no stock" },
  };
  const scopeSpans = [{ scope: { name: "x" }, spans: [span] }];
  return Buffer.from(JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] }));
};

const expected = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  name: "GET /cart",
  kind: "server",
  from: "2023-11-14T22:13:20.000000Z",
  to: "2023-11-14T22:13:20.001500Z",
  service: "shop",
  status: "error",
  attributes: { "http.route": "/cart", "http.response.status_code": "200" },
};

test("spans that a Pod sends with its own token are shown beside it, without credentials", async () => {
  await using shop = await start();
  const token = await shop.tokenOf("web");
  const { status, bytes } = await shop.post(token, jsonBody("GET /cart"));
  assert.deepEqual([status, bytes.toString()], [200, "{}\n"]);
  assert.deepEqual(await shop.spansOf("web"), [expected]);
});

test("spans arrive as protobuf, and compressed", async () => {
  await using shop = await start();
  const token = await shop.tokenOf("web");
  const text = (value: string) => ({ value: { string: value } });
  const body = TraceService.methods.Export.request.encode({
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: text("shop") }] },
        scopeSpans: [
          {
            scope: { name: "x" },
            spans: [
              {
                traceId: Buffer.from(expected.traceId, "hex"),
                spanId: Buffer.from(expected.spanId, "hex"),
                name: expected.name,
                kind: "server",
                startTimeUnixNano: 1_700_000_000_000_000_000n,
                endTimeUnixNano: 1_700_000_000_001_500_000n,
                attributes: [
                  { key: "http.route", value: text("/cart") },
                  { key: "http.response.status_code", value: { value: { int: 200 } } },
                ],
                status: { code: "ERROR" },
              },
            ],
          },
        ],
      },
    ],
  });
  const type = "application/x-protobuf";
  const headers = { "content-type": type, "content-encoding": "gzip" };
  const { status, bytes } = await shop.post(token, gzipSync(body), headers);
  assert.deepEqual([status, bytes.length], [200, 0], bytes.toString());
  assert.deepEqual(await shop.spansOf("web"), [expected]);
});

test("a Pod can't give spans to another one, and a user needs permission", async () => {
  await using shop = await start();
  const token = await shop.tokenOf("web");
  await shop.tokenOf("victim");
  const victim = { "k8s.namespace.name": "a", "k8s.pod.name": "victim" };
  const rejected = await shop.post(token, jsonBody("x", victim));
  assert.equal(JSON.parse(rejected.bytes.toString()).partialSuccess.rejectedSpans, 1);
  // An account without a Pod, and one without any permission.
  const other = await shop.post("othertoken", jsonBody("x", victim));
  assert.equal(JSON.parse(other.bytes.toString()).partialSuccess.rejectedSpans, 1);
  assert.equal((await shop.post("alicetoken", jsonBody("x", victim))).status, 403);
  assert.deepEqual(await shop.spansOf("victim"), []);
  // A collector that may.
  assert.equal((await shop.post("admintoken", jsonBody("GET /cart", victim))).status, 200);
  assert.deepEqual(await shop.spansOf("victim"), [expected]);
  const wrong = { ...victim, "k8s.pod.uid": "no such uid" };
  await shop.post("admintoken", jsonBody("x", wrong));
  assert.equal((await shop.spansOf("victim")).length, 1);
});

test("invalid spans are refused, and the spans of a Pod are bounded", async () => {
  await using shop = await start();
  const token = await shop.tokenOf("web");
  const type = { "content-type": "application/x-protobuf" };
  const bomb = gzipSync(Buffer.alloc(64 << 20));
  for (const [body, headers] of [
    [Buffer.from("{"), {}],
    [Buffer.from('{"resourceSpans": 3}'), {}],
    [Buffer.from("null"), {}],
    [Buffer.from([0xff, 0xff]), type],
    [bomb, { ...type, "content-encoding": "gzip" }],
  ] as const) {
    assert.equal((await shop.post(token, body, headers)).status, 400);
  }
  for (let index = 0; index < 250; index++) await shop.post(token, jsonBody(`s${index}`));
  const names = (await shop.spansOf("web")).map(({ name }) => name);
  assert.deepEqual(
    [names.length, names.includes("s49"), names.includes("s50")],
    [200, false, true],
  );
});

test("a server may take no spans", async () => {
  await using shop = await start(false);
  assert.equal((await shop.post("admintoken", jsonBody("x"))).status, 404);
});
