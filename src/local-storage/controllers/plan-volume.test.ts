import assert from "node:assert/strict";
import { test } from "node:test";
import type { PersistentVolumeClaim } from "#/api/core/v1.ts";
import type { StorageClass } from "#/api/storage/v1.ts";
import {
  classProblem,
  describeNodeError,
  planLocalVolume,
  planPersistentVolume,
} from "./plan-volume.ts";

const claim = (spec: Partial<PersistentVolumeClaim["spec"]> = {}): PersistentVolumeClaim => ({
  metadata: { name: "c", namespace: "ns", uid: "u", resourceVersion: "7" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    ...spec,
  },
});
const storageClass = (fields: Partial<StorageClass> = {}): StorageClass => ({
  metadata: { name: "local" },
  provisioner: "local.csi.k8ts.dev",
  ...fields,
});
const xfs = { parameters: { "csi.storage.k8s.io/fstype": "xfs" } };

for (const { name, spec, fields, source, expected } of [
  { name: "a claim", expected: { volumeMode: "Filesystem" } },
  {
    name: "a claim with a file system",
    fields: xfs,
    expected: { volumeMode: "Filesystem", fsType: "xfs" },
  },
  {
    name: "a claim for a device",
    spec: { volumeMode: "Block" as const },
    fields: xfs,
    expected: { volumeMode: "Block" },
  },
  {
    name: "a copy",
    source: { snapshot: "s" },
    expected: { volumeMode: "Filesystem", source: { snapshot: "s" } },
  },
]) {
  test(`planLocalVolume() of ${name}`, () => {
    const place = { nodeName: "n", source };
    assert.deepEqual(planLocalVolume(claim(spec), storageClass(fields), place), {
      apiVersion: "local.csi.k8ts.dev/v1",
      kind: "LocalVolume",
      metadata: { name: "pvc-u", finalizers: ["local.csi.k8ts.dev/content"] },
      spec: {
        nodeName: "n",
        claim: "ns/c",
        requiredBytes: 2 ** 30,
        accessModes: ["ReadWriteOnce"],
        ...expected,
      },
    });
  });
}

for (const { name, fields, expected } of [
  {
    name: "Delete",
    fields: {},
    expected: {
      policy: "Delete",
      finalizers: ["external-provisioner.volume.kubernetes.io/finalizer"],
      mountOptions: undefined,
    },
  },
  {
    name: "Retain",
    fields: { reclaimPolicy: "Retain", mountOptions: ["noatime"] },
    expected: { policy: "Retain", finalizers: undefined, mountOptions: ["noatime"] },
  },
] as const) {
  test(`planPersistentVolume() of a class with ${name}`, () => {
    const made = storageClass({ ...fields, mountOptions: [...(expected.mountOptions ?? [])] });
    const local = planLocalVolume(claim(), made, { nodeName: "n", source: undefined });
    const status = { handle: "pvc-u", capacityBytes: 2 ** 30, context: { a: "b" } };
    const { metadata, spec } = planPersistentVolume(claim(), made, { ...local, status });
    assert.deepEqual(metadata.finalizers, expected.finalizers);
    assert.equal(spec.persistentVolumeReclaimPolicy, expected.policy);
    assert.deepEqual(spec.mountOptions ?? [], expected.mountOptions ?? []);
    assert.deepEqual(spec.capacity, { storage: "1Gi" });
    assert.equal(spec.claimRef?.uid, "u");
    const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
    const key = "topology.local.csi.k8ts.dev/node";
    assert.deepEqual(terms, [{ matchExpressions: [{ key, operator: "In", values: ["n"] }] }]);
  });
}

test("classProblem() names an unknown parameter", () => {
  assert.equal(classProblem(storageClass(xfs)), undefined);
  const known = "the only one is csi.storage.k8s.io/fstype";
  const problem = classProblem(storageClass({ parameters: { type: "fast" } }));
  assert.equal(problem, `parameter type is unknown: ${known}`);
});

test("describeNodeError() has the words of a Go client", () => {
  const text = describeNodeError({ code: "RESOURCE_EXHAUSTED", message: "full" });
  assert.equal(text, "rpc error: code = ResourceExhausted desc = full");
});
