import assert from "node:assert/strict";
import { test } from "node:test";
import { changedFields } from "./field-owners.ts";

test("changedFields() finds the owners of fields, also inside of lists", () => {
  const before = {
    metadata: { generation: 1 },
    spec: { replicas: 2, containers: [{ name: "main", image: "a" }], finalizers: ["x", "y"] },
  };
  const after = {
    metadata: { generation: 2 },
    spec: { replicas: 3, containers: [{ name: "main", image: "b" }], finalizers: ["x", "z"] },
  };
  const managed = [
    { manager: "hpa", fieldsV1: { "f:spec": { "f:replicas": {} } } },
    {
      manager: "kubectl",
      fieldsV1: {
        "f:spec": {
          "f:containers": { 'k:{"name":"main"}': { "f:image": {} } },
          "f:finalizers": { 'v:"y"': {} },
        },
      },
    },
  ];
  assert.deepEqual(changedFields(before, after, managed), [
    { path: ".spec.replicas", owners: ["hpa"] },
    { path: ".spec.containers[0].image", owners: ["kubectl"] },
    { path: ".spec.finalizers[1]", owners: ["kubectl"] },
  ]);
});
