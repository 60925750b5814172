import assert from "node:assert/strict";
import { test } from "node:test";
import { podSelectorOf, referencesOf } from "./related.ts";

const pod = {
  metadata: {
    name: "p",
    namespace: "a",
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid: "1" }],
  },
  spec: {
    nodeName: "n1",
    serviceAccountName: "sa",
    volumes: [{ configMap: { name: "cm" } }, { persistentVolumeClaim: { claimName: "data" } }],
    containers: [
      { name: "main", envFrom: [{ secretRef: { name: "s" } }, { configMapRef: { name: "cm" } }] },
    ],
  },
};

test("referencesOf() names what a Pod uses, each once", () => {
  const found = referencesOf(pod).map(
    ({ role, kind, namespace, name }) => `${role} ${kind} ${namespace ?? "-"} ${name}`,
  );
  assert.deepEqual(found, [
    "owner ReplicaSet a rs",
    "node Node - n1",
    "account ServiceAccount a sa",
    "uses ConfigMap a cm",
    "uses PersistentVolumeClaim a data",
    "uses Secret a s",
  ]);
});

test("podSelectorOf() reads both forms of selectors", () => {
  const of = (selector: unknown) => podSelectorOf({ metadata: { name: "x" }, spec: { selector } });
  assert.equal(of({ app: "web", tier: "a" }), "app=web,tier=a");
  assert.equal(of({ matchLabels: { app: "web" } }), "app=web");
  assert.equal(of({ matchExpressions: [{ key: "a", operator: "Exists" }] }), undefined);
  assert.equal(of(undefined), undefined);
});
