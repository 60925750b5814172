import assert from "node:assert/strict";
import { test } from "node:test";
import { ClusterTags, hasNoClusterTag } from "./cluster-tags.ts";

const tag = (key: string, value: string) => ({ key, value });

const sources = [
  { name: "the tag", tags: [tag("kubernetes.io/cluster/a", "owned")], id: "a", isLegacy: false },
  { name: "the older tag", tags: [tag("KubernetesCluster", "a")], id: "a", isLegacy: true },
  {
    name: "both",
    tags: [tag("KubernetesCluster", "a"), tag("kubernetes.io/cluster/a", "")],
    id: "a",
    isLegacy: true,
  },
];

for (const { name, tags, id, isLegacy } of sources) {
  test(`ClusterTags takes the id of ${name}`, () => {
    const found = ClusterTags.fromTags(tags);
    assert.deepEqual([found.clusterId, found.usesLegacyTags], [id, isLegacy]);
  });
}

const refused = [
  { tags: [tag("Name", "x")], message: "AWS cloud failed to find ClusterID" },
  {
    tags: [tag("KubernetesCluster", "a"), tag("kubernetes.io/cluster/b", "")],
    message: 'clusterID tags did not match: "b" vs "a"',
  },
  {
    tags: [tag("kubernetes.io/cluster/a", ""), tag("kubernetes.io/cluster/b", "")],
    message: 'Found multiple cluster tags with prefix kubernetes.io/cluster/ ("a" and "b")',
  },
];

for (const { tags, message } of refused) {
  test(`ClusterTags refuses tags: ${message}`, () => {
    assert.throws(() => ClusterTags.fromTags(tags), { message });
  });
}

test("ClusterTags distinguishes the cluster's resources, and those it owns", () => {
  const tags = new ClusterTags("", "a");
  const cases = [
    { given: [tag("kubernetes.io/cluster/a", "owned")], has: true, owned: true },
    { given: [tag("kubernetes.io/cluster/a", "shared")], has: true, owned: false },
    { given: [tag("KubernetesCluster", "a")], has: true, owned: true },
    {
      given: [tag("KubernetesCluster", "b"), tag("kubernetes.io/cluster/b", "owned")],
      has: false,
      owned: false,
    },
  ];
  for (const { given, has, owned } of cases) {
    assert.deepEqual([tags.has(given), tags.isOwned(given)], [has, owned]);
  }
  assert.equal(hasNoClusterTag([tag("x", "")]), true);
  assert.equal(hasNoClusterTag([tag("kubernetes.io/cluster/b", "")]), false);
});

test("ClusterTags builds the tags of a resource", () => {
  assert.deepEqual(new ClusterTags("a", "").build("owned", { z: "1" }), {
    KubernetesCluster: "a",
    "kubernetes.io/cluster/a": "owned",
    z: "1",
  });
});
