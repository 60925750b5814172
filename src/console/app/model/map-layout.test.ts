import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutMap } from "./map-layout.ts";

test("layoutMap() puts what belongs together beside each other", () => {
  const object = (name: string, more: object = {}, spec: object = {}) => ({
    metadata: { name, namespace: "a", uid: name, ...more },
    spec,
  });
  const owned = (owner: string) => ({
    ownerReferences: [{ apiVersion: "v1", kind: "X", name: owner, uid: owner }],
  });
  const { boxes, edges } = layoutMap([
    {
      key: "ingresses.networking.k8s.io",
      kind: "Ingress",
      objects: [
        object(
          "i",
          {},
          { rules: [{ http: { paths: [{ backend: { service: { name: "s" } } }] } }] },
        ),
      ],
    },
    { key: "services", kind: "Service", objects: [object("s", {}, { selector: { app: "x" } })] },
    { key: "deployments.apps", kind: "Deployment", objects: [object("d")] },
    { key: "replicasets.apps", kind: "ReplicaSet", objects: [object("r", owned("d"))] },
    {
      key: "pods",
      kind: "Pod",
      objects: [object("lonely"), object("p", { ...owned("r"), labels: { app: "x" } })],
    },
  ]);
  const lines = edges.map(({ from, to }) => `${boxes[from]?.name}-${boxes[to]?.name}`).sort();
  assert.deepEqual(lines, ["d-r", "i-s", "r-p", "s-p"]);
  const at = (name: string) => boxes.find((box) => box.name === name);
  assert.equal(at("p")?.y, at("i")?.y);
  assert.ok((at("lonely")?.y ?? 0) > (at("p")?.y ?? 0));
  assert.ok((at("p")?.x ?? 0) > (at("d")?.x ?? 0));
});
