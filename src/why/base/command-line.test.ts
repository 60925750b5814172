import assert from "node:assert/strict";
import { test } from "node:test";
import { inNamespace } from "./command-line.ts";

const cases: readonly (readonly [line: string, namespace: string | undefined, expected: string])[] =
  [
    ["kubectl logs web", "shop", "kubectl -n shop logs web"],
    ["kubectl logs web", "default", "kubectl logs web"],
    ["kubectl logs web", undefined, "kubectl logs web"],
    ["kubectl -n other why service/web", "shop", "kubectl -n other why service/web"],
    ["kubectl get pods -A", "shop", "kubectl get pods -A"],
    ["kubectl why node/n1", "shop", "kubectl why node/n1"],
    ["kubectl get nodes -o wide", "shop", "kubectl get nodes -o wide"],
    ["kubectl uncordon n1", "shop", "kubectl uncordon n1"],
    [
      "kubectl get resourceclaims,deviceclasses",
      "shop",
      "kubectl -n shop get resourceclaims,deviceclasses",
    ],
    ["kubectl create secret tls web", "shop", "kubectl -n shop create secret tls web"],
    [
      "kubectl label --overwrite namespace shop a=b",
      "shop",
      "kubectl label --overwrite namespace shop a=b",
    ],
    ["# correct the template", "shop", "# correct the template"],
    ["k8ts logs kubelet", "shop", "k8ts logs kubelet"],
  ];

for (const [line, namespace, expected] of cases) {
  test(`inNamespace() of ${line} in ${namespace}`, () =>
    assert.equal(inNamespace(line, namespace), expected));
}
