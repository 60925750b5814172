/** Cases: pkg/controller/endpointslicemirroring/reconciler_test.go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndpointSubset } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { mirror, planMirror } from "./mirrored-slices.ts";

const http = { name: "http", port: 80, protocol: "TCP" } as const;
const https = { name: "https", port: 443, protocol: "TCP" } as const;
const at = (...ips: readonly string[]) => ips.map((ip) => ({ ip }));

/** Slices as text: "IPv4 http: 10.0.0.1 10.0.0.2!"; "!" marks addresses that are not ready. */
const textOf = ({ addressType, ports = [], endpoints = [] }: EndpointSlice): string =>
  `${addressType} ${ports.map(({ name }) => name).join()}: ${endpoints
    .map(({ addresses, conditions }) => `${addresses[0]}${conditions?.ready ? "" : "!"}`)
    .join(" ")}`;

const mirrored = (subsets: readonly EndpointSubset[], limit = 1000) =>
  mirror({ metadata: { name: "db", namespace: "default" }, subsets: [...subsets] }, limit);

const cases: readonly {
  readonly name: string;
  readonly subsets: readonly EndpointSubset[];
  readonly limit?: number;
  readonly slices: readonly string[];
  readonly invalid?: number;
  readonly skipped?: number;
}[] = [
  { name: "nothing", subsets: [], slices: [] },
  {
    name: "one subset, ready and not",
    subsets: [{ ports: [http], addresses: at("10.0.0.1"), notReadyAddresses: at("10.0.0.2") }],
    slices: ["IPv4 http: 10.0.0.1 10.0.0.2!"],
  },
  {
    name: "both families",
    subsets: [{ ports: [http], addresses: at("10.0.0.1", "2001:db8::1") }],
    slices: ["IPv4 http: 10.0.0.1", "IPv6 http: 2001:db8::1"],
  },
  {
    name: "two subsets with different ports",
    subsets: [
      { ports: [http], addresses: at("10.0.0.1") },
      { ports: [https], addresses: at("10.0.0.2") },
    ],
    slices: ["IPv4 http: 10.0.0.1", "IPv4 https: 10.0.0.2"],
  },
  {
    name: "more addresses than the limit",
    subsets: [{ ports: [http], addresses: at("10.0.0.1", "10.0.0.2", "10.0.0.3") }],
    limit: 2,
    slices: ["IPv4 http: 10.0.0.1 10.0.0.2"],
    skipped: 1,
  },
  {
    name: "invalid addresses",
    subsets: [{ ports: [http], addresses: at("nowhere", "10.0.0.1") }],
    slices: ["IPv4 http: 10.0.0.1"],
    invalid: 1,
    skipped: 1,
  },
];

for (const { name, subsets, limit, slices, invalid = 0, skipped = 0 } of cases) {
  test(`mirror(): ${name}`, () => {
    const result = mirrored(subsets, limit);
    assert.deepEqual(result.slices.map(textOf).sort(), [...slices].sort());
    assert.deepEqual(
      { invalid: result.invalidCount, skipped: result.skippedCount },
      { invalid, skipped },
    );
  });
}

const planCases: readonly {
  readonly name: string;
  readonly before: readonly EndpointSubset[];
  readonly now: readonly EndpointSubset[];
  readonly plan: Readonly<Record<"create" | "update" | "remove", readonly string[]>>;
}[] = [
  {
    name: "nothing changes",
    before: [{ ports: [http], addresses: at("10.0.0.1") }],
    now: [{ ports: [http], addresses: at("10.0.0.1") }],
    plan: { create: [], update: [], remove: [] },
  },
  {
    name: "an address is added",
    before: [{ ports: [http], addresses: at("10.0.0.1") }],
    now: [{ ports: [http], addresses: at("10.0.0.1", "10.0.0.2") }],
    plan: { create: [], update: ["IPv4 http: 10.0.0.1 10.0.0.2"], remove: [] },
  },
  {
    name: "the port changes",
    before: [{ ports: [http], addresses: at("10.0.0.1") }],
    now: [{ ports: [https], addresses: at("10.0.0.1") }],
    plan: { create: ["IPv4 https: 10.0.0.1"], update: [], remove: ["IPv4 http: 10.0.0.1"] },
  },
  {
    name: "all addresses are removed",
    before: [{ ports: [http], addresses: at("10.0.0.1") }],
    now: [],
    plan: { create: [], update: [], remove: ["IPv4 http: 10.0.0.1"] },
  },
];

for (const { name, before, now, plan } of planCases) {
  test(`planMirror() when ${name}`, () => {
    const { create, update, remove } = planMirror(mirrored(now).slices, mirrored(before).slices);
    assert.deepEqual(
      { create: create.map(textOf), update: update.map(textOf), remove: remove.map(textOf) },
      plan,
    );
  });
}
