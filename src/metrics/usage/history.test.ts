import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyHistory, type History, nextHistory } from "./history.ts";
import type { NodePoints, Point } from "./point.ts";
import { nodeMetrics, podMetrics } from "./usage-objects.ts";

const at = (timeMs: number, cpuNanos: number, rest: Partial<Point> = {}): Point => ({
  startMs: -Infinity,
  timeMs,
  cpuNanos,
  memoryBytes: 2048,
  ...rest,
});

const reading = (node: Point | undefined, containers: Record<string, Point> = {}): NodePoints => ({
  node,
  pods: new Map(
    Object.keys(containers).length > 0 ? [["ns/web", new Map(Object.entries(containers))]] : [],
  ),
});

/** The history after readings of one node at intervals of 15 seconds. */
const after = (...readings: NodePoints[]): History =>
  readings.reduce((known, one) => nextHistory(known, new Map([["n", one]]), 15_000), emptyHistory);

const node = { metadata: { name: "n" } };
const pod = { metadata: { namespace: "ns", name: "web" } };
const usageOfNode = (history: History) => nodeMetrics(history, node, 0)?.usage.cpu;
const usageOfPod = (history: History) =>
  podMetrics(history, pod, 0)
    ?.containers.map(({ name, usage }) => `${name}=${usage.cpu}`)
    .join();

const second = 1000;
const half = 0.5e9;

for (const { name, readings, expected } of [
  { name: "one reading has no usage", readings: [reading(at(0, 1))], expected: undefined },
  {
    name: "two readings have the usage between them",
    readings: [reading(at(0, 1)), reading(at(second, 1 + half))],
    expected: "500m",
  },
  {
    name: "the same point again keeps the one before",
    readings: [reading(at(0, 1)), reading(at(second, 1 + half)), reading(at(second, 1 + half))],
    expected: "500m",
  },
  {
    name: "a clock set back behind both points drops them",
    readings: [reading(at(5 * second, 1)), reading(at(6 * second, half)), reading(at(0, half))],
    expected: undefined,
  },
  {
    name: "a counter that has been reset has no usage",
    readings: [reading(at(0, half)), reading(at(second, 1))],
    expected: undefined,
  },
  {
    name: "a node that did not answer is forgotten",
    readings: [reading(at(0, 1)), reading(undefined), reading(at(2 * second, half))],
    expected: undefined,
  },
]) {
  test(`nextHistory() of a node: ${name}`, () => {
    assert.equal(usageOfNode(after(...readings)), expected);
  });
}

const container = (timeMs: number, cpuNanos: number, startMs: number) =>
  at(timeMs, cpuNanos, { startMs });

for (const { name, readings, expected } of [
  {
    name: "one that is younger than ten seconds has none yet",
    readings: [reading(undefined, { app: container(9 * second, half, 0) })],
    expected: undefined,
  },
  {
    name: "its start is the first point of a fresh one",
    readings: [reading(undefined, { app: container(10 * second, 10 * half, 0) })],
    expected: "app=500m",
  },
  {
    name: "an old one needs two readings",
    readings: [reading(undefined, { app: container(100 * second, half, 0) })],
    expected: undefined,
  },
  {
    name: "a restart begins again",
    readings: [
      reading(undefined, { app: container(100 * second, half, 0) }),
      reading(undefined, { app: container(109 * second, half, 101 * second) }),
    ],
    expected: undefined,
  },
  {
    name: "a Pod with one unknown container is unknown",
    readings: [
      reading(undefined, { app: container(100 * second, 1, 0) }),
      reading(undefined, {
        app: container(101 * second, 1 + half, 0),
        side: container(101 * second, 1, 99 * second),
      }),
    ],
    expected: undefined,
  },
  {
    name: "all containers are reported",
    readings: [
      reading(undefined, { app: container(100 * second, 1, 0), side: container(0, 1, -99) }),
      reading(undefined, {
        app: container(101 * second, 1 + half, 0),
        side: container(second, 1, -99),
      }),
    ],
    expected: "app=500m,side=0",
  },
]) {
  test(`nextHistory() of containers: ${name}`, () => {
    assert.equal(usageOfPod(after(...readings)), expected);
  });
}

test("podMetrics() has the time and window of the earliest container", () => {
  const history = after(
    reading(undefined, { a: container(0, 1, -99), b: container(0, 1, -99) }),
    reading(undefined, { a: container(14_925, half, -99), b: container(20_000, half, -99) }),
  );
  const found = podMetrics(history, { metadata: { ...pod.metadata, labels: { app: "x" } } }, 5000);
  assert.deepEqual(
    { ...found, containers: undefined },
    {
      kind: "PodMetrics",
      apiVersion: "metrics.k8s.io/v1beta1",
      metadata: {
        name: "web",
        namespace: "ns",
        creationTimestamp: "1970-01-01T00:00:05Z",
        labels: { app: "x" },
      },
      timestamp: "1970-01-01T00:00:14Z",
      window: "14.925s",
      containers: undefined,
    },
  );
  assert.deepEqual(found?.containers[0], {
    name: "a",
    usage: { cpu: "33500837n", memory: "2Ki" },
  });
});
