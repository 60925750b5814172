import assert from "node:assert/strict";
import { test } from "node:test";
import type { PartStart } from "../parts/part-start.ts";
import { changedPartArgs, partArgValues, sharedPartArgs } from "./part-args.ts";
import { planChanges } from "./plan-changes.ts";

const part = (name: string, args: readonly string[], text = ""): PartStart => ({
  name,
  args,
  files: text === "" ? [] : [{ path: "/f", text }],
});

const cases: readonly {
  name: string;
  before: readonly PartStart[];
  after: readonly PartStart[];
  lines: readonly string[];
}[] = [
  { name: "nothing", before: [part("a", ["--x"])], after: [part("a", ["--x"])], lines: [] },
  {
    name: "a flag",
    before: [part("a", ["--x=1", "--y"])],
    after: [part("a", ["--x=2", "--y"])],
    lines: ["restart of the server:", "  a: - --x=1", "  a: + --x=2"],
  },
  {
    name: "a file, without its content",
    before: [part("a", [], "old")],
    after: [part("a", [], "new")],
    lines: ["restart of the server:", "  a: ~ /f"],
  },
  {
    name: "parts that start and stop",
    before: [part("a", []), part("b", [])],
    after: [part("a", []), part("c", [])],
    lines: ["restart of the server:", "  b: stops", "  c: starts"],
  },
];

for (const { name, before, after, lines } of cases) {
  test(`planChanges() reports ${name}`, () => {
    assert.deepEqual(planChanges({ program: "server", before, after }), lines);
  });
}

const none = { "node-labels": [], "node-taints": [], "kubelet-arg": [], "network-arg": [] };

test("changedPartArgs() replaces the flags of a part that are given, and keeps the others", () => {
  const found = { kubelet: ["v=1", "node-labels=a=b"], network: ["v=2"] };
  const changed = new Set(["kubelet-arg"]);
  assert.deepEqual(changedPartArgs(found, { ...none, "kubelet-arg": ["v=3"] }, changed), {
    kubelet: ["node-labels=a=b", "v=3"],
    network: ["v=2"],
  });
  assert.deepEqual(changedPartArgs(found, none, new Set()), found);
  assert.equal(changedPartArgs({ network: ["v=2"] }, none, new Set(["network-arg"])), undefined);
});

test("changedPartArgs() passes labels and taints to the kubelet", () => {
  const values = { ...none, "node-labels": ["a=b", "d="], "node-taints": ["x=y:NoSchedule"] };
  assert.deepEqual(changedPartArgs(undefined, values, new Set(["node-labels", "node-taints"])), {
    kubelet: ["node-labels=a=b,d=", "register-with-taints=x=y:NoSchedule"],
  });
});

test("sharedPartArgs() leaves out what belongs to one node", () => {
  const own = { kubelet: ["node-labels=a=b", "v=1"], network: ["v=2"] };
  assert.deepEqual(sharedPartArgs(own), { kubelet: ["v=1"], network: ["v=2"] });
  assert.equal(sharedPartArgs({ kubelet: ["node-labels=a=b"] }), undefined);
});

test("partArgValues() returns the flags of up that changedPartArgs() was given", () => {
  const partArgs = { kubelet: ["node-labels=a=b,d=", "v=1"], network: ["v=2"] };
  assert.deepEqual(partArgValues(partArgs), {
    "kubelet-arg": ["v=1"],
    "network-arg": ["v=2"],
    "node-labels": ["a=b", "d="],
    "node-taints": [],
  });
});
