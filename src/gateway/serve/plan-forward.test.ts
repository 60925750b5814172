import assert from "node:assert/strict";
import { test } from "node:test";
import type { RouteFilters, RouteTarget } from "../table/route-target.ts";
import type { ClientExchange } from "./exchange.ts";
import { planForward } from "./plan-forward.ts";

const target = { host: "a.example", authority: "a.example", path: "/v1/x", query: "?q" };
const ref = (service: string) => ({ namespace: "ns", service, port: 80 });

const exchange = (method = "GET", fields: readonly string[] = []) =>
  ({
    method,
    fields,
    hasBody: false,
    isUpgrade: false,
    connection: { address: "10.0.0.9", scheme: "http", port: 80, serverName: "" },
  }) as unknown as ClientExchange;

const route = (rest: Partial<RouteTarget> = {}): RouteTarget => ({
  kind: "route",
  backends: [{ weight: 1, ref: ref("web") }],
  filters: {},
  ...rest,
});

function planned(found: RouteTarget, given = exchange(), random = () => 0.5) {
  const plan = planForward(given, target, found, random);
  if (plan.kind === "reply") return `${plan.status} ${(plan.fields ?? []).join(" ")}`.trim();
  const { fields, path } = plan.request;
  const host = fields[fields.indexOf("host") + 1];
  return `${plan.ref.service} ${host} ${path} ${plan.mirrors?.length ?? 0} ${plan.limitMs ?? ""}`.trim();
}

const filtered = (filters: RouteFilters) => route({ filters });
const two = (a: number, b: number) =>
  route({
    backends: [
      { weight: a, ref: ref("one") },
      { weight: b, ref: ref("two") },
    ],
  });

for (const { name, found, expected } of [
  { name: "a backend", found: route(), expected: "web a.example /v1/x?q 0" },
  { name: "no backend", found: route({ backends: [] }), expected: "500" },
  {
    name: "a backend that is not resolved",
    found: route({ backends: [{ weight: 1, ref: undefined }] }),
    expected: "500",
  },
  {
    name: "the same for gRPC",
    found: route({ backends: [{ weight: 1, ref: undefined }], isGrpc: true }),
    expected: "503",
  },
  { name: "no weight", found: two(0, 0), expected: "500" },
  { name: "weights", found: two(9, 1), expected: "one a.example /v1/x?q 0" },
  { name: "weights, the other way", found: two(1, 9), expected: "two a.example /v1/x?q 0" },
  {
    name: "a rewrite",
    found: filtered({ host: "b.example", path: { kind: "prefix", matched: "/v1", path: "/v2" } }),
    expected: "web b.example /v2/x?q 0",
  },
  {
    name: "a redirect",
    found: filtered({ redirect: { status: 301, host: "b.example" } }),
    expected: "301 location http://b.example/v1/x?q",
  },
  {
    name: "mirrors of a part",
    found: filtered({
      mirrors: [
        { ref: ref("m"), part: 0.6 },
        { ref: ref("m"), part: 0.4 },
      ],
    }),
    expected: "web a.example /v1/x?q 1",
  },
  {
    name: "limits",
    found: route({ requestMs: 500, backendMs: 200 }),
    expected: "web a.example /v1/x?q 0 200",
  },
]) {
  test(`planForward(): ${name}`, () => assert.equal(planned(found), expected));
}

test("planForward() replaces what a backend says about other origins", () => {
  const cors = {
    origins: ["https://a.example"],
    methods: [],
    headers: [],
    exposed: [],
    allowsCredentials: false,
    maxAgeSeconds: 5,
  };
  const given = exchange("GET", ["origin", "https://a.example"]);
  const plan = planForward(given, target, filtered({ cors }), () => 0);
  assert.ok(plan.kind === "forward");
  assert.deepEqual(plan.changeResponse?.(["access-control-allow-origin", "*", "x", "y"]), [
    ...["x", "y", "access-control-allow-origin", "https://a.example", "vary", "origin"],
  ]);
});
