import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedRuntimeProblem } from "./runtime-problems.ts";

const endpoint = "unix:///run/containerd/containerd.sock";
const first = { name: "first", runtimeEndpoint: endpoint };

for (const { name, settings, problem } of [
  {
    name: "another cluster's runtime",
    settings: { name: "second", runtimeEndpoint: endpoint },
    problem: `--container-runtime-endpoint=${endpoint} is the runtime of the cluster "first" already; each node needs one of its own`,
  },
  { name: "the cluster's own one", settings: first },
  { name: "another one", settings: { name: "second", runtimeEndpoint: "unix:///run/x.sock" } },
  { name: "one that k8ts runs", settings: { name: "second" } },
]) {
  test(`sharedRuntimeProblem() of ${name}`, () => {
    assert.equal(sharedRuntimeProblem(settings, [first, { name: "third" }]), problem);
  });
}
