import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { readPoints } from "./read-points.ts";

const labels = 'container="app",namespace="ns",pod="web"';
const whole = `# HELP node_cpu_usage_seconds_total Cumulative
# TYPE node_cpu_usage_seconds_total counter
node_cpu_usage_seconds_total 12.5 1700000000123
node_memory_working_set_bytes 1.024e+09 1700000000124
container_cpu_usage_seconds_total{${labels}} 2 1700000000200
container_memory_working_set_bytes{${labels}} 4096 1700000000200
container_start_time_seconds{${labels}} 1.69999e+09
pod_cpu_usage_seconds_total{namespace="ns",pod="web"} 3 1700000000200
container_swap_usage_bytes{${labels}} 0
`;

test("readPoints() reads nodes and containers", () => {
  assert.deepEqual(readPoints(whole, 1), {
    node: {
      startMs: -Infinity,
      timeMs: 1700000000124,
      cpuNanos: 12.5e9,
      memoryBytes: 1.024e9,
    },
    pods: new Map([
      [
        "ns/web",
        new Map([
          ["app", { startMs: 1.69999e12, timeMs: 1700000000200, cpuNanos: 2e9, memoryBytes: 4096 }],
        ]),
      ],
    ]),
  });
});

for (const { name, text, expected } of [
  {
    name: "samples without a time are of the request's",
    text: "node_cpu_usage_seconds_total 1\nnode_memory_working_set_bytes 2\n",
    expected: { time: 7, pods: [] },
  },
  {
    name: "a node without memory is not known",
    text: "node_cpu_usage_seconds_total 1\n",
    expected: { time: undefined, pods: [] },
  },
  {
    name: "a Pod is not known if a part of one container is missing",
    text: `container_cpu_usage_seconds_total{${labels}} 1
container_memory_working_set_bytes{${labels}} 1
container_memory_working_set_bytes{container="b",namespace="ns",pod="web"} 1
`,
    expected: { time: undefined, pods: [] },
  },
  {
    name: "labels may have escapes, braces, and any order",
    text: `container_cpu_usage_seconds_total{pod="a\\"}",namespace="ns",container="x"} 1
container_memory_working_set_bytes{namespace="ns",pod="a\\"}",container="x",} 1
`,
    expected: { time: undefined, pods: ['ns/a"}'] },
  },
  {
    name: "values that are no amounts are left out",
    text: "node_cpu_usage_seconds_total NaN\nnode_memory_working_set_bytes +Inf\n",
    expected: { time: undefined, pods: [] },
  },
]) {
  test(`readPoints(): ${name}`, () => {
    const { node, pods } = readPoints(text, 7);
    assert.deepEqual({ time: node?.timeMs, pods: [...pods.keys()] }, expected);
  });
}

for (const line of [
  "node_cpu_usage_seconds_total",
  'node_cpu{a="b} 1',
  "node_cpu x",
  "node_ 1 2 3",
]) {
  test(`readPoints() refuses ${line}`, () => {
    assert.throws(() => readPoints(`${line}\n`, 0), /^Error: failed parsing metrics: invalid line/);
  });
}

test("readPoints() takes hostile lines in linear time", () => {
  const startMs = systemClock.monotonicMs();
  const text = `node_x{${'a="\\\\"'.repeat(50_000)} 1`;
  assert.throws(() => readPoints(text, 0));
  assert.ok(systemClock.monotonicMs() - startMs < 5_000);
});
