import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServedGroup } from "../discovery/discovery.ts";
import { mergeDiscovery, type TieBreak } from "./merge-discovery.ts";
import { builtInPriority, customPriority } from "./priorities.ts";

const group = (name: string, ...versions: readonly string[]): ServedGroup => ({
  name,
  versions: versions.map((version) => ({ version, resources: [] })),
});

function order(groups: readonly ServedGroup[], tieBreak: TieBreak): string[] {
  const remote = { version: "v1", freshness: "Current" as const };
  const merged = mergeDiscovery(groups, {
    remotes: [{ group: "remote.example.com", version: "v1", discovery: remote }],
    priorityOf: (name, version) =>
      name === "remote.example.com"
        ? { group: 17790, version: 1 }
        : (builtInPriority(name, version) ?? customPriority),
    tieBreak,
  });
  return merged.map(({ name, versions }) => `${name}: ${versions.map(({ version }) => version)}`);
}

test("mergeDiscovery() orders groups and versions by their priorities", () => {
  const groups = [
    group("b.example.com", "v1"),
    group("a.example.com", "v1alpha1", "v1beta1"),
    group("autoscaling", "v1", "v2"),
    group("apps", "v1"),
    group("apiregistration.k8s.io", "v1"),
    group("c.example.com", "v1", "v2"),
  ];
  const first = [
    "apiregistration.k8s.io: v1",
    "apps: v1",
    "remote.example.com: v1",
    "autoscaling: v2,v1",
  ];
  const [a, b, c] = [
    "a.example.com: v1beta1,v1alpha1",
    "b.example.com: v1",
    "c.example.com: v2,v1",
  ];
  assert.deepEqual(order(groups, "group"), [...first, a, b, c]);
  assert.deepEqual(order(groups, "apiService"), [...first, b, c, a]);
});
