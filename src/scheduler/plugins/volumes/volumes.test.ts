import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PodSpec,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  type StorageClass,
  storageClasses,
} from "#/api/storage/v1.ts";
import { findMatchingVolume, withClaimRefTo } from "#/machinery/volumes/match-volume.ts";
import {
  filterTexts,
  occupied,
  scoresOf,
  testContext,
  testNode,
  testPlugin,
  testPod,
} from "#/testing/scheduler-objects.ts";
import type { Plugin } from "../../framework/plugin.ts";
import { nodeVolumeLimits } from "./node-volume-limits.ts";
import { volumeBinding } from "./volume-binding.ts";
import { volumeRestrictions } from "./volume-restrictions.ts";
import { volumeZone } from "./volume-zone.ts";

type Parts<T> = { [Key in keyof T]?: T[Key] };

const claim = (
  name: string,
  spec: Parts<NonNullable<PersistentVolumeClaim["spec"]>> = {},
  annotations: Record<string, string> = {},
): PersistentVolumeClaim => ({
  metadata: { name, namespace: "default", uid: `uid-${name}`, annotations },
  spec: { resources: { requests: { storage: "1Gi" } }, accessModes: ["ReadWriteOnce"], ...spec },
});
const bound = (name: string, volumeName: string) =>
  claim(name, { volumeName }, { "pv.kubernetes.io/bind-completed": "yes" });
const volume = (
  name: string,
  spec: Parts<NonNullable<PersistentVolume["spec"]>> = {},
  labels: Record<string, string> = {},
): PersistentVolume => ({
  metadata: { name, labels },
  spec: {
    capacity: { storage: "5Gi" },
    accessModes: ["ReadWriteOnce"],
    storageClassName: "late",
    ...spec,
  },
  status: { phase: "Available" },
});
const onHost = (host: string): Parts<NonNullable<PersistentVolume["spec"]>> => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: "host", operator: "In", values: [host] }] }],
    },
  },
});
const storageClass = (name: string, more: Parts<StorageClass> = {}): StorageClass => ({
  metadata: { name },
  provisioner: "example.com/disks",
  volumeBindingMode: "WaitForFirstConsumer",
  ...more,
});
const uses = (...claims: string[]): Partial<PodSpec> => ({
  volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
});
const host = (
  name: string,
  pods: Parameters<typeof occupied>[1] = [],
  labels: Record<string, string> = {},
) => occupied(testNode(name, { metadata: { name, labels: { host: name, ...labels } } }), pods);

interface World {
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
}

const contextOf = ({ claims = [], volumes = [], classes = [] }: World) =>
  testContext([
    [persistentVolumeClaims, claims],
    [persistentVolumes, volumes],
    [storageClasses, classes],
  ]);
const binding = (world: World): Plugin => testPlugin(volumeBinding, {}, contextOf(world));

const late = claim("data", { storageClassName: "late" });
const classes = [storageClass("late"), storageClass("now", { volumeBindingMode: "Immediate" })];
const noVolume = "node(s) didn't find available persistent volumes to bind";

for (const { name, world, spec = uses("data"), nodes = [host("a"), host("b")], texts } of [
  { name: "skips pods without claims", world: {}, spec: {}, texts: { a: "", b: "" } },
  {
    name: "rejects a pod whose claim is missing",
    world: {},
    texts: 'persistentvolumeclaim "data" not found',
  },
  {
    name: "waits for claims that the volume controller binds",
    world: { claims: [claim("data", { storageClassName: "now" })], classes },
    texts: "pod has unbound immediate PersistentVolumeClaims",
  },
  {
    name: "restricts a pod to the nodes of its volumes",
    world: { claims: [bound("data", "v")], volumes: [volume("v", onHost("a"))] },
    texts: { a: "", b: "node(s) didn't match PersistentVolume's node affinity" },
  },
  {
    name: "rejects a pod whose volume was deleted",
    world: { claims: [bound("data", "v")] },
    nodes: [host("a")],
    texts: { a: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)" },
  },
  {
    name: "finds a volume where there is no provisioner",
    world: {
      claims: [late],
      volumes: [volume("v", onHost("a"))],
      classes: [storageClass("late", { provisioner: "kubernetes.io/no-provisioner" })],
    },
    texts: { a: "", b: noVolume },
  },
  {
    name: "provisions volumes where the class allows it",
    world: {
      claims: [late],
      classes: [
        storageClass("late", {
          allowedTopologies: [{ matchLabelExpressions: [{ key: "host", values: ["b"] }] }],
        }),
      ],
    },
    texts: { a: noVolume, b: "" },
  },
  {
    name: "selects the node for which a volume is being provisioned",
    world: {
      claims: [
        claim("data", { storageClassName: "late" }, { "volume.kubernetes.io/selected-node": "b" }),
      ],
      classes,
    },
    texts: { a: noVolume, b: "" },
  },
  {
    name: "reports missing claims of ephemeral volumes",
    world: {},
    spec: { volumes: [{ name: "scratch", ephemeral: {} }] },
    texts:
      'waiting for ephemeral volume controller to create the persistentvolumeclaim "pod-scratch"',
  },
]) {
  test(`VolumeBinding ${name}`, () => {
    assert.deepEqual(filterTexts(binding(world), testPod("pod", { spec }), nodes), texts);
  });
}

test("VolumeBinding requires capacity where a driver reports it", () => {
  const context = testContext([
    [persistentVolumeClaims, [late]],
    [storageClasses, classes],
    [
      csiDrivers,
      [{ metadata: { name: "example.com/disks" }, spec: { storageCapacity: true } } as never],
    ],
    [
      csiStorageCapacities,
      [
        {
          metadata: { name: "c", namespace: "x" },
          storageClassName: "late",
          nodeTopology: { matchLabels: { host: "a" } },
          capacity: "10Gi",
        } as never,
      ],
    ],
  ]);
  const plugin = testPlugin(volumeBinding, {}, context);
  const pod = testPod("pod", { spec: uses("data") });
  assert.deepEqual(filterTexts(plugin, pod, [host("a"), host("b")]), {
    a: "",
    b: "node(s) did not have enough free storage",
  });
  assert.equal(scoresOf(plugin, testPod("other"), [host("a")]), undefined);
});

test("findMatchingVolume() takes the pre-bound volume, else the smallest that suffices", () => {
  const { labels = {} } = testNode("a").metadata;
  const small = volume("small", { capacity: { storage: "2Gi" } });
  const tiny = volume("tiny", { capacity: { storage: "1Mi" } });
  const large = volume("large");
  const other = volume("other", { storageClassName: "x" });
  const name = (volumes: PersistentVolume[], taken: string[] = []) =>
    findMatchingVolume(late, volumes, { nodeLabels: labels, taken: new Set(taken) })?.metadata.name;
  assert.equal(name([large, tiny, small, other]), "small");
  assert.equal(name([large, small], ["small"]), "large");
  assert.equal(name([small, withClaimRefTo(large, late)]), "large");
  assert.equal(name([withClaimRefTo(small, claim("another"))]), undefined);
});

test("withClaimRefTo() sets the claimRef and the bound-by-controller annotation", () => {
  const { metadata, spec } = withClaimRefTo(volume("v"), late);
  assert.deepEqual(metadata.annotations, { "pv.kubernetes.io/bound-by-controller": "yes" });
  assert.deepEqual(spec?.claimRef, {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    namespace: "default",
    name: "data",
    uid: "uid-data",
  });
});

const once = claim("data", { accessModes: ["ReadWriteOncePod"] });
const disk: Partial<PodSpec> = {
  volumes: [{ name: "d", awsElasticBlockStore: { volumeID: "vol" } }],
};
for (const { name, spec, nodes, texts } of [
  {
    name: "lets only one pod use a ReadWriteOncePod claim",
    spec: uses("data"),
    nodes: [host("a"), host("b", [testPod("other", { spec: uses("data") })])],
    texts: {
      a: "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
      b: "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    },
  },
  {
    name: "keeps pods with the same disk apart",
    spec: disk,
    nodes: [host("a"), host("b", [testPod("other", { spec: disk })])],
    texts: { a: "", b: "node(s) had no available disk" },
  },
]) {
  test(`VolumeRestrictions ${name}`, () => {
    const plugin = testPlugin(volumeRestrictions, {}, contextOf({ claims: [once] }));
    assert.deepEqual(filterTexts(plugin, testPod("pod", { spec }), nodes), texts);
  });
}

test("VolumeZone restricts pods to the zones of their volumes", () => {
  const zone = "topology.kubernetes.io/zone";
  const plugin = testPlugin(
    volumeZone,
    {},
    contextOf({ claims: [bound("data", "v")], volumes: [volume("v", {}, { [zone]: "x__y" })] }),
  );
  const nodes = [host("a", [], { [zone]: "x" }), host("b", [], { [zone]: "z" }), host("c")];
  assert.deepEqual(filterTexts(plugin, testPod("pod", { spec: uses("data") }), nodes), {
    a: "",
    b: "node(s) had no available volume zone",
    c: "",
  });
});

test("NodeVolumeLimits counts volumes by driver", () => {
  const csi = (handle: string) => ({ csi: { driver: "example.com/disks", volumeHandle: handle } });
  const context = testContext([
    [persistentVolumeClaims, [bound("one", "v1"), bound("two", "v2"), bound("three", "v3")]],
    [persistentVolumes, [volume("v1", csi("1")), volume("v2", csi("2")), volume("v3", csi("3"))]],
    [
      csiNodes,
      [
        {
          metadata: { name: "a" },
          spec: {
            drivers: [{ name: "example.com/disks", nodeID: "a", allocatable: { count: 2 } }],
          },
        } as never,
      ],
    ],
  ]);
  const plugin = testPlugin(nodeVolumeLimits, {}, context);
  const nodes = [
    host("a", [testPod("x", { spec: uses("one", "two") })]),
    host("b", [testPod("y", { spec: uses("one", "two") })]),
  ];
  const texts = (name: string) => filterTexts(plugin, testPod("pod", { spec: uses(name) }), nodes);
  assert.deepEqual(texts("three"), { a: "node(s) exceed max volume count", b: "" });
  assert.deepEqual(texts("two"), { a: "", b: "" });
});
