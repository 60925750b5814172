import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttp2, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import type { Gateway, HttpRoute } from "#/gateway/api/gateway-objects.ts";
import { Backends } from "#/gateway/backends/backends.ts";
import { planGatewayApi } from "#/gateway/routes/plan-gateway-api.ts";
import { Forwarder } from "#/gateway/serve/forwarder.ts";
import { Listener } from "#/gateway/serve/listener.ts";
import { findByHost } from "#/gateway/table/by-host.ts";
import { findTarget } from "#/gateway/table/find-target.ts";
import { readTarget } from "#/gateway/table/request-target.ts";
import { buildRouteTable, type RouteTable } from "#/gateway/table/route-table.ts";
import { systemRandom } from "#/std/base/random.ts";
import { systemClock } from "#/std/time/clock.ts";

/* Routes and backends of tenants, behind a gateway that others use as well. */

type Rules = NonNullable<HttpRoute["spec"]["rules"]>;
type Filter = NonNullable<Rules[number]["filters"]>[number];

const gateway: Gateway = {
  metadata: { name: "gw", namespace: "infra" },
  spec: { gatewayClassName: "k8ts", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
};

/** The table of a gateway with one route, and whether the route is accepted. */
function planRoute(rules: Rules): { readonly table: RouteTable; readonly accepted: string } {
  const controllerName = "k8ts.dev/gateway";
  const route: HttpRoute = {
    metadata: { name: "web", namespace: "infra" },
    spec: { parentRefs: [{ name: "gw" }], rules },
  };
  const plan = planGatewayApi({
    controllerName,
    classes: [{ metadata: { name: "k8ts" }, spec: { controllerName } }],
    gateways: [gateway],
    httpRoutes: [route],
    ...{ grpcRoutes: [], tlsRoutes: [], grants: [], listenerSets: [], tlsPolicies: [] },
    facts: {
      authorities: () => ({ problem: "none" }),
      certificateProblem: () => undefined,
      namespaceLabels: () => ({}),
      service: () => ({ metadata: {}, spec: { ports: [{ port: 80 }] } }),
    },
  });
  const site = findByHost(plan.gateways[0]?.ports.get(80)?.sites ?? new Map(), "a");
  assert.ok(site);
  return { table: site.table, accepted: plan.routes[0]?.parents[0]?.accepted.status ?? "" };
}

const backendRefs = [{ name: "web", port: 80 }];
const pattern = (value: string) => ({ path: { type: "RegularExpression", value } }) as const;

/** Time (ms) of the processor for one search. */
function costOf(table: RouteTable, path: string, host = "a", fields: string[] = []): number {
  const request = { method: "GET", host, path, query: "", fields };
  findTarget(table, request);
  const { user, system } = process.cpuUsage();
  findTarget(table, request);
  const used = process.cpuUsage({ user, system });
  return (used.user + used.system) / 1000;
}

/** Limit (ms): a busy machine, and more than ten times what is needed. */
const limitMs = 250;

for (const { name, matches, path } of [
  { name: "that backtracks", matches: [pattern("/(a+)+x")], path: `/${"a".repeat(60)}` },
  { name: "of many states", matches: [pattern("/(?:.?){500}x")], path: `/${"a".repeat(60_000)}` },
  {
    name: "among a hundred others",
    matches: Array.from({ length: 100 }, (_, at) => pattern(`/(?:.?){20}${at}`)),
    path: `/${"a".repeat(60_000)}`,
  },
]) {
  test(`a pattern ${name} delays no other request`, () => {
    const { table, accepted } = planRoute([{ matches, backendRefs }]);
    assert.equal(accepted, "True");
    const spent = costOf(table, path);
    assert.ok(spent < limitMs, `${spent} ms`);
  });
}

for (const { name, matches } of [
  { name: "too large", matches: [pattern(`/${"a{1000}".repeat(100)}`)] },
  { name: "too large by its classes", matches: [pattern("\\pL".repeat(300))] },
  {
    name: "too large together",
    matches: Array.from({ length: 1_000 }, (_, at) => pattern(`/(?:.?){300}${at}`)),
  },
]) {
  test(`patterns that are ${name} are refused before they are compiled`, () => {
    const before = process.cpuUsage();
    const { accepted } = planRoute([{ matches, backendRefs }]);
    const { user } = process.cpuUsage(before);
    assert.equal(accepted, "False");
    assert.ok(user / 1000 < 4 * limitMs, `${user / 1000} ms`);
  });
}

test("a pattern for a header that backtracks delays no other request, and one that matches counts", () => {
  const header = (value: string) => ({ type: "RegularExpression", name: "X", value }) as const;
  const { table } = planRoute([
    { matches: [{ headers: [header("(a+)+x")] }], backendRefs },
    { matches: [{ headers: [header("v[0-9]+")] }], backendRefs },
  ]);
  assert.ok(costOf(table, "/", "a", ["x", "a".repeat(60)]) < limitMs);
  const request = { method: "GET", host: "a", path: "/", query: "", fields: ["x", "v12"] };
  assert.equal(findTarget(table, request).kind, "route");
});

test("thousands of rules for one path delay no other request", () => {
  const header = (at: number) => ({ name: `X-${at}`, value: "1" });
  const matches = Array.from({ length: 20_000 }, (_, at) => ({ headers: [header(at)] }));
  const { table } = planRoute([{ matches, backendRefs }]);
  const fields = Array.from({ length: 8_000 }, (_, at) => `f${at}`);
  assert.ok(costOf(table, "/", "a", fields) < limitMs);
});

test("paths and names of thousands of parts delay no other request", () => {
  const { table } = planRoute([{ matches: [{ path: { value: "/admin" } }], backendRefs }]);
  assert.ok(costOf(table, "/a".repeat(8_000)) < limitMs / 10);
  assert.equal(readTarget("/", "a.".repeat(8_000)), undefined);
  const below = `/admin${"/a".repeat(8_000)}`;
  const request = { method: "GET", host: "a", path: below, query: "", fields: [] };
  assert.equal(findTarget(table, request).kind, "route");
});

const header = (name: string, value: string): Filter => ({
  type: "RequestHeaderModifier",
  requestHeaderModifier: { set: [{ name, value }] },
});
const rewrite = (replaceFullPath: string): Filter => ({
  type: "URLRewrite",
  urlRewrite: { path: { type: "ReplaceFullPath", replaceFullPath } },
});
const second = "GET /admin HTTP/1.1";

for (const { name, filter, accepted = "False" } of [
  { name: "a header", filter: header("X-Team", "blue, \u00e9"), accepted: "True" },
  { name: "a path", filter: rewrite("/other?x=1"), accepted: "True" },
  { name: "a header with a second request", filter: header("X", `a\r\n\r\n${second}`) },
  // Written as Latin-1, these characters are CR and LF.
  { name: "characters whose low bytes are a line end", filter: header("X", "a\u010d\u010ay: z") },
  { name: "a length", filter: header("Content-Length", "100") },
  { name: "chunks", filter: header("transfer-encoding", "chunked") },
  { name: "a connection", filter: header("Connection", "close, host") },
  { name: "a header name with a colon", filter: header("X: a\r\nY", "b") },
  {
    name: "a path with a second request",
    filter: rewrite(`/ HTTP/1.1\r\nHost: a\r\n\r\n${second}`),
  },
  { name: "a path with low bytes of a line end", filter: rewrite("/\u010d\u010a") },
  {
    name: "a prefix with a space",
    filter: {
      type: "URLRewrite",
      urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/x HTTP/1.1" } },
    } satisfies Filter,
  },
  {
    name: "a redirect to two lines",
    filter: {
      type: "RequestRedirect",
      requestRedirect: {
        path: { type: "ReplaceFullPath", replaceFullPath: "/\r\nSet-Cookie: a=b" },
      },
    } satisfies Filter,
  },
  {
    name: "a response with a header of two lines",
    filter: {
      type: "ResponseHeaderModifier",
      responseHeaderModifier: { add: [{ name: "X", value: "a\r\nSet-Cookie: a=b" }] },
    } satisfies Filter,
  },
]) {
  test(`a filter for ${name} is ${accepted === "True" ? "accepted" : "refused"}`, () => {
    const planned = planRoute([{ backendRefs, filters: [filter] }]);
    assert.equal(planned.accepted, accepted);
    const request = { method: "GET", host: "a", path: "/", query: "", fields: [] };
    const kind = findTarget(planned.table, request).kind;
    assert.equal(kind, accepted === "True" ? "route" : "reply");
  });
}

async function openBackend(fields: Record<string, string>): Promise<Http2Server> {
  const server = createHttp2();
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.respond(fields);
    stream.end("body");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

test("a backend of HTTP/2 answers through the gateway", async () => {
  const server = await openBackend({ ":status": "200", "x-own": "yes" });
  try {
    const text = await askThrough((server.address() as AddressInfo).port);
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(text, /x-own: yes/);
  } finally {
    server.close();
  }
});

/** All that a client of the gateway gets from a backend of HTTP/2. */
async function askThrough(port: number): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const target = { kind: "backend", namespace: "ns", service: "web", port: 80 } as const;
  const none = { kind: "reply", status: 404, text: "none\n" } as const;
  const table = buildRouteTable([{ host: "", match: "Prefix", path: "/", target }], none);
  const appProtocol = "kubernetes.io/h2c";
  const backends = new Backends({
    service: () => ({ metadata: {}, spec: { ports: [{ port: 80, name: "p", appProtocol }] } }),
    slices: () => [
      {
        metadata: {},
        addressType: "IPv4",
        endpoints: [{ addresses: ["127.0.0.1"] }],
        ports: [{ name: "p", port }],
      },
    ],
  });
  const clock = systemClock;
  const options = { backends, clock, random: systemRandom, onReply: () => undefined };
  const forwarder = stack.use(new Forwarder(options));
  const listener = stack.use(
    new Listener({ forwarder, clock, publicPort: 80, findTable: () => table }),
  );
  const socket = connect(await listener.listen(0, "127.0.0.1"), "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("latin1");
}
