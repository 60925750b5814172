import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "#/api/core/v1.ts";
import type { Gateway, GatewayListener, HttpRoute, Route } from "../api/gateway-objects.ts";
import { findByHost } from "../table/by-host.ts";
import { findTarget } from "../table/find-target.ts";
import { type GatewayApiInput, planGatewayApi } from "./plan-gateway-api.ts";
import { gatewayStatus, routeParents } from "./plan-status.ts";

const controllerName = "k8ts.dev/gateway";
const service: Service = {
  metadata: {},
  spec: { ports: [{ port: 80 }, { port: 53, protocol: "UDP" }] },
};
const nowMs = Date.UTC(2026, 0, 1);

const listener = (rest: Partial<GatewayListener> = {}): GatewayListener => ({
  name: "http",
  port: 80,
  protocol: "HTTP",
  ...rest,
});
const https = (rest: Partial<GatewayListener> = {}): GatewayListener =>
  listener({ name: "https", port: 443, protocol: "HTTPS", ...rest });

const gateway = (...listeners: GatewayListener[]): Gateway => ({
  metadata: { name: "gw", namespace: "infra", generation: 2 },
  spec: { gatewayClassName: "k8ts", listeners },
});

const route = (spec: Partial<HttpRoute["spec"]> = {}, namespace = "infra"): HttpRoute => ({
  metadata: { name: "web", namespace, generation: 3 },
  spec: {
    parentRefs: [{ name: "gw", namespace: "infra" }],
    rules: [{ backendRefs: [{ name: "web", port: 80 }] }],
    ...spec,
  },
});

function plan(
  given: Gateway,
  httpRoutes: readonly HttpRoute[],
  rest: Partial<GatewayApiInput> = {},
) {
  return planGatewayApi({
    controllerName,
    classes: [{ metadata: { name: "k8ts" }, spec: { controllerName } }],
    gateways: [given],
    httpRoutes,
    grpcRoutes: [],
    tlsRoutes: [],
    grants: [],
    listenerSets: [],
    tlsPolicies: [],
    facts: {
      authorities: (namespace, name) =>
        name === "ca" ? { pem: "PEM" } : { problem: `ConfigMap ${namespace}/${name} is missing` },
      certificateProblem: (key) => (key === "infra/cert" ? undefined : `${key} is missing`),
      namespaceLabels: (name) => ({ team: name }),
      service: (_namespace, name) => (name === "web" || name === "next" ? service : undefined),
    },
    ...rest,
  });
}

/** The conditions of the only route, as "Type=Reason". */
function reasonsOf(planned: ReturnType<typeof plan>): string {
  const [served] = planned.routes;
  const [parent] = served ? routeParents(served, controllerName, nowMs) : [];
  return (parent?.conditions ?? [])
    .map(({ type, status, reason }) => `${type}=${status === "True" ? "" : "!"}${reason}`)
    .join(" ");
}

const fromAll = { allowedRoutes: { namespaces: { from: "All" } } } as const;
const fromTeam = (team: string) => ({
  allowedRoutes: {
    namespaces: { from: "Selector" as const, selector: { matchLabels: { team } } },
  },
});
const backend = (ref: object) => ({
  rules: [{ backendRefs: [{ name: "web", port: 80, ...ref }] }],
});
const grant = {
  metadata: { namespace: "other" },
  spec: {
    from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "infra" }],
    to: [{ group: "", kind: "Service" }],
  },
};

for (const {
  name,
  listeners = [listener()],
  spec = {},
  namespace = "infra",
  grants = [],
  expected,
} of [
  {
    name: "a route of the same namespace",
    expected: "Accepted=Accepted ResolvedRefs=ResolvedRefs",
  },
  {
    name: "a route of another namespace",
    namespace: "other",
    expected: "Accepted=!NotAllowedByListeners ResolvedRefs=ResolvedRefs",
  },
  {
    name: "a route of any namespace",
    listeners: [listener(fromAll)],
    namespace: "other",
    expected: "Accepted=Accepted ResolvedRefs=ResolvedRefs",
  },
  {
    name: "a route of a selected namespace",
    listeners: [listener(fromTeam("other"))],
    namespace: "other",
    expected: "Accepted=Accepted ResolvedRefs=ResolvedRefs",
  },
  {
    name: "a route of a namespace that is not selected",
    listeners: [listener(fromTeam("x"))],
    namespace: "other",
    expected: "Accepted=!NotAllowedByListeners ResolvedRefs=ResolvedRefs",
  },
  {
    name: "a section that does not exist",
    spec: { parentRefs: [{ name: "gw", sectionName: "x" }] },
    expected: "Accepted=!NoMatchingParent ResolvedRefs=ResolvedRefs",
  },
  {
    name: "a port that does not exist",
    spec: { parentRefs: [{ name: "gw", port: 81 }] },
    expected: "Accepted=!NoMatchingParent ResolvedRefs=ResolvedRefs",
  },
  {
    name: "another hostname",
    listeners: [listener({ hostname: "a.example" })],
    spec: { hostnames: ["b.example"] },
    expected: "Accepted=!NoMatchingListenerHostname ResolvedRefs=ResolvedRefs",
  },
  {
    name: "a kind that the listener does not allow",
    listeners: [listener({ allowedRoutes: { kinds: [{ kind: "GRPCRoute" }] } })],
    expected: "Accepted=!NotAllowedByListeners ResolvedRefs=ResolvedRefs",
  },
  {
    name: "a Service that does not exist",
    spec: backend({ name: "none" }),
    expected: "Accepted=Accepted ResolvedRefs=!BackendNotFound",
  },
  {
    name: "a port that the Service does not have",
    spec: backend({ port: 81 }),
    expected: "Accepted=Accepted ResolvedRefs=!BackendNotFound",
  },
  {
    name: "a kind of backend that is no Service",
    spec: backend({ kind: "Bucket", group: "x" }),
    expected: "Accepted=Accepted ResolvedRefs=!InvalidKind",
  },
  {
    name: "a Service of another namespace",
    spec: backend({ namespace: "other" }),
    expected: "Accepted=Accepted ResolvedRefs=!RefNotPermitted",
  },
  {
    name: "a Service of another namespace with a grant",
    spec: backend({ namespace: "other" }),
    grants: [grant],
    expected: "Accepted=Accepted ResolvedRefs=ResolvedRefs",
  },
  {
    name: "a filter that is not known",
    spec: { rules: [{ filters: [{ type: "ExtensionRef" }] }] },
    expected: "Accepted=!UnsupportedValue ResolvedRefs=ResolvedRefs",
  },
  {
    name: "a pattern that is malformed",
    spec: { rules: [{ matches: [{ path: { type: "RegularExpression", value: "(" } }] }] },
    expected: "Accepted=!UnsupportedValue ResolvedRefs=ResolvedRefs",
  },
]) {
  test(`planGatewayApi(): ${name}`, () => {
    assert.equal(
      reasonsOf(plan(gateway(...listeners), [route(spec, namespace)], { grants })),
      expected,
    );
  });
}

const secret = (rest: object = {}) => ({ tls: { certificateRefs: [{ name: "cert", ...rest }] } });

for (const { name, listeners, expected, accepted = "Accepted" } of [
  {
    name: "HTTP",
    listeners: [listener()],
    expected: ["http: Accepted NoConflicts ResolvedRefs Programmed"],
  },
  {
    name: "HTTPS",
    listeners: [https(secret())],
    expected: ["https: Accepted NoConflicts ResolvedRefs Programmed"],
  },
  {
    name: "a certificate that does not exist",
    listeners: [https(secret({ name: "x" }))],
    expected: ["https: Accepted NoConflicts InvalidCertificateRef Invalid"],
  },
  {
    name: "a certificate of another namespace",
    listeners: [https(secret({ namespace: "other" }))],
    expected: ["https: Accepted NoConflicts RefNotPermitted Invalid"],
  },
  {
    name: "an unknown protocol",
    listeners: [listener({ protocol: "x.example/y" })],
    expected: ["http: UnsupportedProtocol NoConflicts ResolvedRefs Invalid"],
    accepted: "ListenersNotValid",
  },
  {
    name: "an unknown kind",
    listeners: [listener({ allowedRoutes: { kinds: [{ kind: "X" }] } })],
    expected: ["http: Accepted NoConflicts InvalidRouteKinds Invalid"],
  },
  {
    name: "two listeners with one hostname",
    listeners: [listener(), listener({ name: "two" })],
    expected: [
      "http: HostnameConflict HostnameConflict ResolvedRefs HostnameConflict",
      "two: HostnameConflict HostnameConflict ResolvedRefs HostnameConflict",
    ],
    accepted: "ListenersNotValid",
  },
  {
    name: "two protocols at one port",
    listeners: [listener({ port: 443 }), https(secret())],
    expected: [
      "http: ProtocolConflict ProtocolConflict ResolvedRefs ProtocolConflict",
      "https: ProtocolConflict ProtocolConflict ResolvedRefs ProtocolConflict",
    ],
    accepted: "ListenersNotValid",
  },
]) {
  test(`gatewayStatus(): ${name}`, () => {
    const [served] = plan(gateway(...listeners), []).gateways;
    assert.ok(served);
    const status = gatewayStatus(served, [{ type: "IPAddress", value: "10.0.0.1" }], nowMs);
    const shown = status.listeners?.map(
      ({ name: of, conditions }) => `${of}: ${conditions.map(({ reason }) => reason).join(" ")}`,
    );
    assert.deepEqual(shown, expected);
    assert.equal(status.conditions?.find(({ type }) => type === "Accepted")?.reason, accepted);
    assert.ok(status.conditions?.every(({ observedGeneration }) => observedGeneration === 2));
  });
}

test("gatewayStatus() waits for an address, and leaves conditions of others alone", () => {
  const foreign = {
    type: "Foreign",
    status: "True" as const,
    reason: "X",
    message: "",
    lastTransitionTime: "2020-01-01T00:00:00Z",
  };
  const given: Gateway = { ...gateway(listener()), status: { conditions: [foreign] } };
  const [served] = plan(given, []).gateways;
  assert.ok(served);
  const { conditions } = gatewayStatus(served, [], nowMs);
  assert.deepEqual(
    conditions?.map(({ reason }) => reason),
    ["X", "Accepted", "AddressNotAssigned"],
  );
});

test("routeParents() leaves the parents of other controllers alone", () => {
  const other = { parentRef: { name: "x" }, controllerName: "other.example/c", conditions: [] };
  const given: Route = { ...route(), status: { parents: [other] } };
  const [served] = plan(gateway(listener()), [given as HttpRoute]).routes;
  assert.ok(served);
  const parents = routeParents(served, controllerName, nowMs);
  assert.deepEqual(
    parents.map((one) => one.controllerName),
    ["other.example/c", controllerName],
  );
});

/** The Service of a request at port 80 of a gateway, or the status of a reply. */
function serviceAt(
  planned: ReturnType<typeof plan>,
  host: string,
  path: string,
  { method = "GET", query = "", fields = [] as string[] } = {},
): string {
  const site = findByHost(planned.gateways[0]?.ports.get(80)?.sites ?? new Map(), host);
  if (!site) return "no site";
  const found = findTarget(site.table, { method, host, path, query, fields });
  if (found.kind !== "route") return found.kind === "reply" ? String(found.status) : "backend";
  return found.backends[0]?.ref?.service ?? "none";
}

const to = (
  name: string,
  ...matches: NonNullable<HttpRoute["spec"]["rules"]>[number]["matches"] & object
) => ({
  matches,
  backendRefs: [{ name, port: 80 }],
});

test("planGatewayApi() matches paths, methods, headers and parameters, the most specific first", () => {
  const rules = [
    to("web", { path: { type: "PathPrefix", value: "/" } }),
    to("next", { path: { type: "PathPrefix", value: "/a" }, method: "POST" }),
    to("next", { headers: [{ name: "X-Color", value: "blue" }] }),
    to("next", { queryParams: [{ name: "v", value: "2" }] }),
    to("next", { path: { type: "Exact", value: "/exact" } }),
    to("next", { path: { type: "RegularExpression", value: "/r[0-9]+" } }),
  ];
  const planned = plan(gateway(listener()), [route({ rules })]);
  const at = (...args: [string, Parameters<typeof serviceAt>[3]?]) =>
    serviceAt(planned, "h.example", args[0], args[1] ?? {});
  assert.deepEqual(
    [at("/"), at("/a/b"), at("/exact"), at("/exact/"), at("/r12"), at("/rx")],
    ["web", "web", "next", "web", "next", "web"],
  );
  assert.equal(at("/a/b", { method: "POST" }), "next");
  assert.equal(at("/x", { fields: ["x-color", "blue"] }), "next");
  assert.equal(at("/x", { fields: ["x-color", "red"] }), "web");
  assert.equal(at("/x", { query: "?v=2" }), "next");
});

test("planGatewayApi() keeps listeners apart, whatever routes they have", () => {
  const wide = listener({ name: "wide" });
  const narrow = listener({ name: "narrow", hostname: "*.example.com" });
  const both = gateway(wide, narrow);
  const planned = plan(both, [route({ parentRefs: [{ name: "gw", sectionName: "wide" }] })]);
  assert.equal(serviceAt(planned, "other.example", "/"), "web");
  assert.equal(serviceAt(planned, "a.b.example.com", "/"), "404");
  const [served] = planned.gateways;
  const counts = served?.listeners.map((one) => served.attached.get(one));
  assert.deepEqual(counts, [1, undefined]);
});
