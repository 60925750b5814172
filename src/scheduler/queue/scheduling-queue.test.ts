import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "#/api/core/v1.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { testNode, testPlugin, testPod } from "#/testing/scheduler-objects.ts";
import { until } from "#/testing/until.ts";
import { podInfoOf } from "../cache/pod-info.ts";
import { action, assignedPodDelete, interest, nodeAdd } from "../framework/cluster-event.ts";
import type { Plugin } from "../framework/plugin.ts";
import type { QueuedPod } from "../framework/queued-pod.ts";
import { reject } from "../framework/rejection.ts";
import { prioritySort } from "../plugins/priority-sort.ts";
import { schedulingGates } from "../plugins/scheduling-gates.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";

/** Its hint is true if a node named "good" is added. */
const choosy: Plugin = {
  name: "Choosy",
  requeueOn: [
    interest<Pod, Node>(
      "Node",
      action.Add,
      (_pod, _before, node) => node?.metadata.name === "good",
    ),
  ],
};
/** Its hint is true for a deletion, and its rejection is pending. */
const patient: Plugin = { name: "Patient", requeueOn: [interest("AssignedPod", action.Delete)] };
const bareLess = testPlugin(prioritySort).less ?? (() => false);

function open(plugins: readonly Plugin[] = [choosy, patient, testPlugin(schedulingGates)]) {
  return openOn(new FakeClock(), plugins);
}

function openOn<T extends Clock>(clock: T, plugins: readonly Plugin[]) {
  const incoming: string[] = [];
  const queue = new SchedulingQueue({
    clock,
    plugins: () => plugins,
    allPlugins: plugins,
    less: bareLess,
    backoff: { initialMs: 1_000, maxMs: 10_000 },
    onIncoming: (queueName, event) => void incoming.push(`${queueName} ${event}`),
  });
  return { clock, queue, incoming };
}

/** Pops the next pod and returns it as rejected. */
function refuse(queue: SchedulingQueue, plugin: string, pending = false): QueuedPod {
  const queued = queue.pop();
  assert.ok(queued);
  queued.unschedulablePlugins = new Set(pending ? [] : [plugin]);
  queued.pendingPlugins = new Set(pending ? [plugin] : []);
  queue.addUnschedulable(queued);
  return queued;
}

test("SchedulingQueue pops pods by priority, then by age", async () => {
  const { clock, queue } = open();
  queue.add(testPod("old"));
  await clock.advance(1);
  queue.add(testPod("young"));
  queue.add(testPod("important", { spec: { priority: 10 } }));
  const names = [queue.pop(), queue.pop(), queue.pop()].map((queued) => queued?.info.name);
  assert.deepEqual(names, ["important", "old", "young"]);
  assert.equal(queue.pop(), undefined);
});

test("SchedulingQueue keeps a rejected pod until an event for which its plugin's hint is true", () => {
  const { queue } = open();
  queue.add(testPod("pod"));
  refuse(queue, "Choosy");
  assert.deepEqual(queue.counts(), { active: 0, backoff: 0, unschedulable: 1, gated: 0 });
  queue.moveAll(nodeAdd, undefined, testNode("bad"));
  queue.moveAll(assignedPodDelete, testPod("other"), undefined);
  assert.equal(queue.counts().unschedulable, 1);
  queue.moveAll(nodeAdd, undefined, testNode("good"));
  assert.deepEqual(queue.counts(), { active: 0, backoff: 1, unschedulable: 0, gated: 0 });
});

/** Its hint is true, and takes a millisecond. */
const slow: Plugin = {
  name: "Slow",
  requeueOn: [
    interest<Pod, Node>("Node", action.Add, () => {
      const endMs = systemClock.monotonicMs() + 1;
      while (systemClock.monotonicMs() < endMs);
      return true;
    }),
  ],
};

test("SchedulingQueue moves very many pods in several turns, except those that have gone", async () => {
  const { queue } = openOn(systemClock, [slow]);
  const names = Array.from({ length: 100 }, (_, index) => `pod-${index}`);
  for (const name of names) {
    queue.add(testPod(name));
    refuse(queue, "Slow");
  }
  queue.moveAll(nodeAdd, undefined, testNode("good"));
  const { backoff, unschedulable } = queue.counts();
  assert.ok(backoff > 0 && unschedulable > 0, `${backoff} and ${unschedulable}`);
  queue.delete(testPod("pod-99"));
  await until("all are moved", () => queue.counts().unschedulable === 0);
  assert.equal(queue.counts().backoff, 99);
});

test("SchedulingQueue pops pods in backoff if no other pod is pending", () => {
  const { queue } = open();
  queue.add(testPod("pod"));
  refuse(queue, "Choosy");
  queue.moveAll(nodeAdd, undefined, testNode("good"));
  assert.equal(queue.pop()?.info.name, "pod");
});

test("SchedulingQueue retries a pod without backoff if its rejection was pending", () => {
  const { queue } = open();
  queue.add(testPod("pod"));
  refuse(queue, "Patient", true);
  queue.moveAll(assignedPodDelete, testPod("other"), undefined);
  assert.equal(queue.counts().active, 1);
});

test("SchedulingQueue applies events that arrived while the pod was in flight", () => {
  const { queue } = open();
  queue.add(testPod("pod"));
  const queued = queue.pop();
  assert.ok(queued);
  queue.moveAll(nodeAdd, undefined, testNode("good"));
  assert.equal(queue.inFlightEvents, 1);
  queued.unschedulablePlugins = new Set(["Choosy"]);
  queue.addUnschedulable(queued);
  assert.equal(queue.counts().backoff, 1);
  assert.equal(queue.inFlightEvents, 0);
});

test("SchedulingQueue lengthens the backoff with each error, up to a limit", async () => {
  const { clock, queue } = open();
  queue.run(new AbortController().signal);
  queue.add(testPod("pod"));
  const waits: number[] = [];
  for (let attempt = 0; attempt < 6; attempt++) {
    const queued = queue.pop();
    assert.ok(queued);
    queue.addUnschedulable(queued);
    let seconds = 0;
    while (queue.counts().active === 0) {
      await clock.advance(1_000);
      seconds++;
    }
    waits.push(seconds);
  }
  // Backoffs of 1, 2, 4, 8, 10, 10 s end with the next whole second.
  assert.deepEqual(waits, [2, 3, 5, 9, 11, 11]);
});

test("SchedulingQueue flushes pods that were unschedulable for five minutes", async () => {
  const { clock, queue, incoming } = open();
  queue.run(new AbortController().signal);
  queue.add(testPod("pod"));
  refuse(queue, "Choosy");
  await clock.advance(5 * 60_000);
  assert.equal(queue.counts().unschedulable, 1);
  await clock.advance(30_000);
  assert.equal(queue.counts().active, 1);
  assert.equal(incoming.at(-1), "active UnschedulableTimeout");
  assert.equal(queue.pop()?.flushed, true);
});

test("SchedulingQueue keeps gated pods out until their gates are removed", () => {
  const { queue } = open();
  const gated = testPod("pod", { spec: { schedulingGates: [{ name: "gate" }] } });
  queue.add(gated);
  assert.deepEqual(queue.counts(), { active: 0, backoff: 0, unschedulable: 0, gated: 1 });
  queue.moveAll(nodeAdd, undefined, testNode("good"));
  assert.equal(queue.counts().gated, 1);
  queue.update(gated, testPod("pod"));
  assert.equal(queue.counts().active, 1);
});

test("SchedulingQueue updates a pending pod", () => {
  const { queue } = open();
  queue.add(testPod("first"));
  queue.add(testPod("second"));
  queue.update(testPod("second"), testPod("second", { spec: { priority: 5 } }));
  assert.equal(queue.pop()?.info.name, "second");
  queue.delete(testPod("first"));
  assert.equal(queue.pop(), undefined);
});

test("SchedulingQueue activates pods on demand, and those in flight when they return", () => {
  const { queue } = open();
  queue.add(testPod("waiting"));
  refuse(queue, "Choosy");
  queue.activate([podInfoOf(testPod("waiting"))]);
  assert.equal(queue.counts().active, 1);
  const queued = queue.pop();
  assert.ok(queued);
  queue.activate([queued.info]);
  queued.unschedulablePlugins = new Set(["Choosy"]);
  queue.addUnschedulable(queued);
  assert.equal(queue.counts().backoff, 1);
});

test("SchedulingQueue resolves whenReady() when a pod is added", async () => {
  const { queue } = open();
  const ready = queue.whenReady();
  queue.add(testPod("pod"));
  await ready;
  assert.equal(queue.pop()?.info.name, "pod");
});

test("SchedulingQueue keeps pods out while a PreEnqueue plugin rejects them", () => {
  let closed = true;
  const door: Plugin = {
    name: "Door",
    requeueOn: [interest("Node", action.Add)],
    preEnqueue: () => (closed ? reject("Door", "closed") : undefined),
  };
  const { queue } = open([door]);
  queue.add(testPod("pod"));
  assert.equal(queue.counts().gated, 1);
  closed = false;
  queue.moveAll(nodeAdd, undefined, testNode("any"));
  assert.equal(queue.counts().active, 1);
});
