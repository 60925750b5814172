import assert from "node:assert/strict";
import { test } from "node:test";
import { testPod } from "#/testing/scheduler-objects.ts";
import { podInfoOf } from "../cache/pod-info.ts";
import { NominatedPods } from "./nominated-pods.ts";

const info = (nominatedNodeName?: string) =>
  podInfoOf(testPod("pod", { status: nominatedNodeName ? { nominatedNodeName } : {} }));

test("NominatedPods takes the node of the status unless another is given", () => {
  const nominated = new NominatedPods();
  nominated.set(info("a"));
  assert.deepEqual(
    nominated.onNode("a").map(({ name }) => name),
    ["pod"],
  );
  nominated.set(info("a"), "b");
  assert.equal(nominated.onNode("a").length, 0);
  assert.equal(nominated.nodeOf("uid-pod"), "b");
  nominated.set(info("a"), "");
  assert.equal(nominated.size, 0);
});

test("NominatedPods keeps a nomination through updates without one", () => {
  const nominated = new NominatedPods();
  nominated.set(info(), "a");
  nominated.update(info(), info());
  assert.equal(nominated.nodeOf("uid-pod"), "a");
  nominated.update(info(), info("b"));
  assert.equal(nominated.nodeOf("uid-pod"), "b");
  nominated.update(info("b"), info());
  assert.equal(nominated.size, 0);
});
