import assert from "node:assert/strict";
import { test } from "node:test";
import { namespaceAddresses, planNamespace } from "./network-namespace.ts";

test("planNamespace() gives a cluster the same names and addresses at each start", () => {
  assert.deepEqual(planNamespace("dev"), {
    cluster: "dev",
    namespace: "k8ts-dev",
    machine: "k8ts-dev.machine",
    link: "k8ts0e9aa3c673",
    hostAddress: "10.191.239.153",
    nodeAddress: "10.191.239.154",
    cidr: "10.191.239.152/30",
    table: "k8ts_dev",
    routed: [],
  });
});

test("planNamespace() has addresses of IPv6 if the cluster has", () => {
  assert.deepEqual(planNamespace("dev", { ipv6: true }).ipv6, {
    hostAddress: "fd6b:3874:7300:ef26::1",
    nodeAddress: "fd6b:3874:7300:ef26::2",
    cidr: "fd6b:3874:7300:ef26::/64",
  });
  assert.deepEqual(namespaceAddresses("dev", "fd00::/56,10.244.0.0/16"), [
    "fd6b:3874:7300:ef26::2",
    "10.191.239.154",
  ]);
});

const names = ["a", "b", "dev", "my-cluster", "a".repeat(40), "z9"];

test("planNamespace() keeps to the limits of links, tables and its range", () => {
  for (const name of names) {
    const { link, cidr, hostAddress, nodeAddress, table } = planNamespace(name);
    assert.ok(link.length <= 15, link);
    assert.match(table, /^[a-z0-9_]+$/);
    const [, third = "", first = ""] = /^10\.191\.(\d+)\.(\d+)\/30$/.exec(cidr) ?? [];
    assert.equal(Number(first) % 4, 0);
    assert.equal(hostAddress, `10.191.${third}.${Number(first) + 1}`);
    assert.equal(nodeAddress, `10.191.${third}.${Number(first) + 2}`);
  }
});

test("planNamespace() gives no two of these clusters the same link or addresses", () => {
  const plans = names.map((name) => planNamespace(name));
  assert.equal(new Set(plans.map(({ link }) => link)).size, names.length);
  assert.equal(new Set(plans.map(({ cidr }) => cidr)).size, names.length);
});
