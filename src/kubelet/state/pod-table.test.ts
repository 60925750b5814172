import assert from "node:assert/strict";
import { test } from "node:test";
import { testPod } from "#/testing/pod-fixtures.ts";
import { type PodProgress, PodTable } from "./pod-table.ts";
import { mirrorAnnotation, sourceAnnotation } from "./static-pods.ts";

const pod = testPod({}, { uid: "u" });

interface Expected {
  readonly mayRun: boolean;
  readonly active: boolean;
  readonly mayRemoveContainers: boolean;
  readonly mayRemoveContent: boolean;
}

const cases: [desired: boolean, kind: PodProgress["state"]["kind"] | undefined, Expected][] = [
  [true, undefined, table("no", "no", "yes", "no")],
  [true, "syncing", table("yes", "yes", "no", "no")],
  [true, "terminating", table("yes", "yes", "no", "no")],
  [true, "terminated", table("no", "no", "yes", "no")],
  [true, "finished", table("no", "no", "yes", "no")],
  [false, undefined, table("no", "no", "yes", "yes")],
  [false, "syncing", table("yes", "no", "no", "no")],
  [false, "terminating", table("yes", "no", "no", "no")],
  [false, "terminated", table("no", "no", "yes", "no")],
  [false, "finished", table("no", "no", "yes", "yes")],
];

for (const [desired, kind, expected] of cases) {
  test(`PodTable: a ${desired ? "desired" : "removed"} Pod with ${kind ?? "no"} worker`, () => {
    const pods = new PodTable();
    if (desired) pods.desired.set("u", pod);
    if (kind) pods.workers.set("u", { pod, state: { kind } });
    assert.equal(pods.mayRemoveContainers("u"), false, "before all Pods are known");
    assert.equal(pods.mayRemoveContent("u"), false, "before all Pods are known");
    pods.isComplete = true;
    assert.deepEqual(
      {
        mayRun: pods.mayRun("u"),
        active: pods.active().includes(pod),
        mayRemoveContainers: pods.mayRemoveContainers("u"),
        mayRemoveContent: pods.mayRemoveContent("u"),
      },
      expected,
    );
  });
}

test("apiPod() of a static Pod is its mirror, also while it only ends", () => {
  const pods = new PodTable();
  const own = testPod({}, { uid: "s", name: "s", annotations: { [sourceAnnotation]: "file" } });
  const mirror = testPod({}, { uid: "m", name: "s", annotations: { [mirrorAnnotation]: "x" } });
  pods.desired.set("s", own);
  assert.equal(pods.apiPod("s"), undefined);
  pods.mirrors.set("default/s", mirror);
  assert.equal(pods.apiPod("s"), mirror);
  pods.desired.delete("s");
  assert.equal(pods.apiPod("s"), undefined);
  pods.workers.set("s", { pod: own, state: { kind: "terminating" } });
  assert.equal(pods.apiPod("s"), mirror);
});

function table(...[mayRun, active, containers, content]: ("yes" | "no")[]): Expected {
  return {
    mayRun: mayRun === "yes",
    active: active === "yes",
    mayRemoveContainers: containers === "yes",
    mayRemoveContent: content === "yes",
  };
}
