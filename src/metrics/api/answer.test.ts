import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { openEnvelope } from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { emptyHistory, nextHistory } from "../usage/history.ts";
import { freshnessMetric } from "../usage/metrics.ts";
import type { Measured } from "../usage/usage-objects.ts";
import { metricsApi } from "./answer.ts";

const measured = (name: string, namespace?: string, labels?: Record<string, string>): Measured => ({
  metadata: { name, ...(namespace ? { namespace } : {}), ...(labels ? { labels } : {}) },
});

const nodes = [measured("n2"), measured("n1", undefined, { zone: "a" }), measured("silent")];
const pods = [
  measured("web", "shop", { app: "web" }),
  measured("db", "shop"),
  measured("new", "shop"),
  measured("web", "blog"),
];

const storeOf = (objects: readonly Measured[]) => ({
  get: (namespace: string | undefined, name: string) =>
    objects.find(
      ({ metadata }) => metadata.name === name && (metadata.namespace ?? "") === (namespace ?? ""),
    ),
  list: () => objects,
  listNamespace: (namespace: string) =>
    objects.filter(({ metadata }) => metadata.namespace === namespace),
});

const point = (timeMs: number, cpuNanos: number) => ({
  startMs: -Infinity,
  timeMs,
  cpuNanos,
  memoryBytes: 3 * 1024 * 1024,
});

function readingsAt(timeMs: number) {
  const containers = new Map([
    ["app", point(timeMs, 1 + timeMs * 1e5)],
    ["side", point(timeMs, 1 + timeMs * 1e3)],
  ]);
  return new Map([
    [
      "n1",
      {
        node: point(timeMs, 1 + timeMs * 1e6),
        pods: new Map(["shop/web", "shop/db", "blog/web"].map((key) => [key, containers])),
      },
    ],
    ["n2", { node: point(timeMs, 1 + timeMs * 2e6), pods: new Map() }],
  ]);
}

const history = [0, 10_000].reduce(
  (known, timeMs) => nextHistory(known, readingsAt(timeMs), 15_000),
  emptyHistory,
);

const api = metricsApi({
  measurements: () => ({ history, nodes: storeOf(nodes), pods: storeOf(pods) }),
  freshness: freshnessMetric(new Registry()),
  clock: new FakeClock(20_000),
});

function ask(path: string, accept?: string, method = "GET") {
  const url = new URL(path, "https://component");
  const request = { method, headers: { accept } } as IncomingMessage;
  const reply = api.answer(url, request);
  if (!reply) return undefined;
  const body = Buffer.from(reply.body);
  if (!reply.status) return { type: reply.contentType, body };
  if (reply.contentType !== "application/json") return { error: String(body) };
  const { message } = JSON.parse(String(body)) as { message: string };
  return { error: `${reply.status} ${message}` };
}

const json = (path: string, accept?: string): unknown =>
  JSON.parse(String(ask(path, accept)?.body));

const base = "/apis/metrics.k8s.io/v1beta1";
const namesAt = (path: string) =>
  (json(path) as { items: { metadata: { name: string; namespace?: string } }[] }).items.map(
    ({ metadata: { name, namespace } }) => (namespace ? `${namespace}/${name}` : name),
  );

for (const { path, expected } of [
  { path: "nodes", expected: ["n1", "n2"] },
  { path: "nodes?labelSelector=zone%3Da", expected: ["n1"] },
  { path: "nodes?fieldSelector=metadata.name%3Dn2", expected: ["n2"] },
  { path: "pods", expected: ["blog/web", "shop/db", "shop/web"] },
  { path: "namespaces/shop/pods", expected: ["shop/db", "shop/web"] },
  { path: "namespaces/shop/pods?labelSelector=app", expected: ["shop/web"] },
  { path: "pods?fieldSelector=metadata.namespace%3Dblog", expected: ["blog/web"] },
  { path: "namespaces/none/pods", expected: [] },
]) {
  test(`metricsApi() lists ${path}`, () => assert.deepEqual(namesAt(`${base}/${path}`), expected));
}

test("metricsApi() returns the usage of a node", () => {
  assert.deepEqual(json(`${base}/nodes/n1`), {
    kind: "NodeMetrics",
    apiVersion: "metrics.k8s.io/v1beta1",
    metadata: {
      name: "n1",
      creationTimestamp: "1970-01-01T00:00:20Z",
      labels: { zone: "a" },
    },
    timestamp: "1970-01-01T00:00:10Z",
    window: "10s",
    usage: { cpu: "1", memory: "3Mi" },
  });
});

test("metricsApi() encodes lists in protobuf", () => {
  const reply = ask(`${base}/pods`, "application/vnd.kubernetes.protobuf");
  assert.equal(reply?.type, "application/vnd.kubernetes.protobuf");
  const { kind } = openEnvelope(reply?.body ?? Buffer.of());
  assert.equal(kind, "PodMetricsList");
});

for (const { path, expected } of [
  { path: "nodes/none", expected: '404 node "none" not found' },
  { path: "nodes/silent", expected: '404 nodes.metrics.k8s.io "silent" not found' },
  { path: "namespaces/shop/pods/new", expected: '404 pods.metrics.k8s.io "shop/new" not found' },
  { path: "namespaces/shop/pods/none", expected: '404 pods "none" not found' },
  {
    path: "pods?fieldSelector=spec.nodeName%3Dn1",
    expected:
      '400 "spec.nodeName" is not a known field selector: only "metadata.name", "metadata.namespace"',
  },
  {
    path: "pods?watch=true",
    expected: '405 watch is not supported on resources of kind "pods.metrics.k8s.io"',
  },
]) {
  test(`metricsApi() refuses ${path}`, () =>
    assert.deepEqual(ask(`${base}/${path}`), { error: expected }));
}

test("metricsApi() writes errors in the format that the client accepts", () => {
  const path = `${base}/nodes/none`;
  assert.match(String(ask(path, "application/yaml")?.error), /^apiVersion: v1\ncode: 404\n/);
  assert.equal(
    ask(`${base}/nodes`, "application/xml")?.error,
    "406 only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  );
  assert.equal(ask("/apis", "application/xml")?.error?.slice(0, 3), "406");
});

for (const path of ["services", "namespaces/shop/nodes", "nodes/n1/status", "%zz"]) {
  test(`metricsApi() has no ${path}`, () => assert.equal(ask(`${base}/${path}`), undefined));
}

test("metricsApi() returns Tables with a column for each resource", () => {
  const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const shown = json(`${base}/namespaces/shop/pods`, table) as {
    kind: string;
    columnDefinitions: { name: string; format: string }[];
    rows: { cells: unknown[]; object: { kind: string } }[];
  };
  assert.equal(shown.kind, "Table");
  assert.deepEqual(
    shown.columnDefinitions.map(({ name, format }) => `${name}:${format}`),
    ["Name:name", "cpu:quantity", "memory:quantity", "Window:duration"],
  );
  assert.deepEqual(
    shown.rows.map(({ cells, object }) => [...cells, object.kind]),
    [
      ["db", "101m", "6Mi", "10s", "PartialObjectMetadata"],
      ["web", "101m", "6Mi", "10s", "PartialObjectMetadata"],
    ],
  );
  assert.deepEqual(json(`${base}/namespaces/none/pods`, table), {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: {},
    columnDefinitions: null,
    rows: null,
  });
});

test("metricsApi() serves discovery", () => {
  assert.deepEqual(
    (json(base) as { resources: { name: string; verbs: string[] }[] }).resources.map(
      ({ name, verbs }) => `${name} ${verbs.join()}`,
    ),
    ["nodes get,list", "pods get,list"],
  );
});
