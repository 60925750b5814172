import assert from "node:assert/strict";
import { test } from "node:test";
import type { HTTPIngressPath, Ingress, IngressSpec } from "#/api/networking/v1.ts";
import { findTarget } from "../table/find-target.ts";
import { type PlanInput, planIngresses } from "./plan-ingresses.ts";

const classes = [
  { metadata: { name: "k8ts" }, spec: { controller: "k8ts.dev/gateway" } },
  { metadata: { name: "nginx" }, spec: { controller: "k8s.io/ingress-nginx" } },
];

const backend = (name: string) => ({ service: { name, port: { number: 80 } } });
const path = (text: string, service: string, pathType = "Prefix"): HTTPIngressPath => ({
  path: text,
  pathType: pathType as "Prefix",
  backend: backend(service),
});

const ingress = (name: string, spec: IngressSpec, created = "2026-01-01T00:00:00Z"): Ingress => ({
  metadata: { name, namespace: "shop", creationTimestamp: created },
  spec: { ingressClassName: "k8ts", ...spec },
});

const plan = (ingresses: readonly Ingress[], rest: Partial<PlanInput> = {}) =>
  planIngresses({ ingresses, classes, balancers: [], localDomain: "k8s.localhost", ...rest });

const serviceAt = (planned: ReturnType<typeof plan>, host: string, at: string): string => {
  const asked = { method: "GET", host, path: at, query: "", fields: [] };
  const found = findTarget(planned.table, asked);
  if (found.kind === "backend") return `${found.service}:${found.port}`;
  return found.kind === "reply" ? String(found.status) : found.kind;
};

const web = ingress("web", {
  rules: [{ host: "web.example", http: { paths: [path("/api", "api"), path("/", "web")] } }],
});

test("planIngresses() routes hosts and paths", () => {
  const planned = plan([web]);
  assert.equal(serviceAt(planned, "web.example", "/api/x"), "api:80");
  assert.equal(serviceAt(planned, "web.example", "/"), "web:80");
  assert.equal(serviceAt(planned, "other.example", "/"), "404");
});

test("planIngresses() gives each Ingress and load balancer a name for browsers", () => {
  const balancers = [{ namespace: "shop", name: "lb", port: 8080 }];
  const planned = plan([web], { balancers });
  assert.equal(serviceAt(planned, "web.shop.k8s.localhost", "/api"), "api:80");
  assert.equal(serviceAt(planned, "lb.shop.k8s.localhost", "/x"), "lb:8080");
  const without = plan([web], { balancers, localDomain: "" });
  assert.equal(serviceAt(without, "web.shop.k8s.localhost", "/api"), "404");
});

for (const { name, given, expected } of [
  { name: "of the class", given: {}, expected: 1 },
  { name: "of another class", given: { ingressClassName: "nginx" }, expected: 0 },
  { name: "of an unknown class", given: { ingressClassName: "x" }, expected: 0 },
]) {
  test(`planIngresses() serves ${expected} Ingresses ${name}`, () => {
    assert.equal(plan([ingress("a", given)]).own.length, expected);
  });
}

test("planIngresses() honours the class annotation of Ingresses without a class", () => {
  const old: Ingress = {
    metadata: { name: "a", namespace: "b", annotations: { "kubernetes.io/ingress.class": "k8ts" } },
    spec: { defaultBackend: backend("x") },
  };
  assert.equal(serviceAt(plan([old]), "any", "/"), "x:80");
  assert.equal(plan([{ ...old, metadata: { name: "a", namespace: "b" } }]).own.length, 0);
});

test("planIngresses() prefers the oldest Ingress of conflicting ones", () => {
  const rule = (service: string) => ({
    rules: [{ host: "a.example", http: { paths: [path("/", service)] } }],
    defaultBackend: backend(`${service}-default`),
  });
  const planned = plan([
    ingress("a", rule("young"), "2026-02-01T00:00:00Z"),
    ingress("z", rule("old"), "2026-01-01T00:00:00Z"),
  ]);
  assert.equal(serviceAt(planned, "a.example", "/"), "old:80");
  assert.equal(serviceAt(planned, "b.example", "/"), "old-default:80");
});

test("planIngresses() refuses resource backends clearly", () => {
  const resource = { kind: "Bucket", name: "b", apiGroup: "x" };
  const planned = plan([ingress("a", { defaultBackend: { resource } })]);
  assert.equal(serviceAt(planned, "any", "/"), "503");
  assert.deepEqual(
    planned.problems.map(({ reason, message }) => `${reason}: ${message}`),
    ["UnsupportedBackend: backend Bucket b is not a Service: resource backends are not supported"],
  );
});

test("planIngresses() uses named ports, and a default backend for hosts without paths", () => {
  const named = { service: { name: "s", port: { name: "web" } } };
  const planned = plan([ingress("a", { defaultBackend: named, rules: [{ host: "a.example" }] })]);
  assert.equal(serviceAt(planned, "a.example", "/x"), "s:web");
});

test("planIngresses() has the certificates of hosts, and one for all others", () => {
  const { certificates } = plan([
    ingress("a", {
      rules: [{ host: "c.example" }],
      tls: [
        { hosts: ["a.example", "*.b.example"], secretName: "ab" },
        { secretName: "rest" },
        { hosts: ["without.example"] },
      ],
    }),
  ]);
  assert.deepEqual(
    [...certificates.hosts],
    [
      ["a.example", "shop/ab"],
      ["*.b.example", "shop/ab"],
      ["c.example", "shop/rest"],
    ],
  );
  assert.equal(certificates.fallback, "shop/rest");
});
