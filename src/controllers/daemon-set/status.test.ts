/** Cases: pkg/controller/daemon/daemon_controller.go (updateDaemonSetStatus), daemon_controller_test.go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DaemonSet, DaemonSetStatus } from "#/api/apps/v1.ts";
import type { Node, Pod } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { computeStatus } from "./status.ts";

const nowMs = 1_000_000_000_000;

const set: DaemonSet = {
  metadata: { name: "agent", generation: 3 },
  spec: {
    selector: {},
    minReadySeconds: 10,
    template: { metadata: {}, spec: { containers: [], nodeSelector: { disk: "fast" } } },
  },
};

const node = (name: string, disk: string): Node => ({
  metadata: { name, labels: { disk } },
  spec: {},
});

/** A Pod by letters: R(eady), A(vailable), u(pdated). */
const pod = (nodeName: string, text: string): Pod => ({
  metadata: {
    name: `agent-${nodeName}`,
    labels: { "controller-revision-hash": text.includes("u") ? "new" : "old" },
  },
  spec: { nodeName, containers: [] },
  status: {
    phase: "Running",
    conditions: /[RA]/.test(text)
      ? [
          {
            type: "Ready",
            status: "True",
            lastTransitionTime: formatTime(nowMs - (text.includes("A") ? 60_000 : 1_000)),
          },
        ]
      : [],
  },
});

const cases: readonly {
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly pods: Readonly<Record<string, readonly string[]>>;
  readonly status: Partial<DaemonSetStatus>;
}[] = [
  { name: "no nodes", nodes: [], pods: {}, status: {} },
  {
    name: "a node without its Pod",
    nodes: [node("a", "fast")],
    pods: {},
    status: { desiredNumberScheduled: 1, numberUnavailable: 1 },
  },
  {
    name: "Pods that are ready, available and updated",
    nodes: [node("a", "fast"), node("b", "fast"), node("c", "fast")],
    pods: { a: ["Au"], b: ["R"], c: [""] },
    status: {
      desiredNumberScheduled: 3,
      currentNumberScheduled: 3,
      numberReady: 2,
      numberAvailable: 1,
      numberUnavailable: 2,
      updatedNumberScheduled: 1,
    },
  },
  {
    name: "a Pod on a node that is not selected",
    nodes: [node("a", "slow"), node("b", "fast")],
    pods: { a: ["Au"], b: ["Au"] },
    status: {
      desiredNumberScheduled: 1,
      currentNumberScheduled: 1,
      numberMisscheduled: 1,
      numberReady: 1,
      numberAvailable: 1,
      updatedNumberScheduled: 1,
    },
  },
];

for (const { name, nodes, pods, status } of cases) {
  test(`computeStatus() of a DaemonSet: ${name}`, () => {
    const podsByNode = new Map(
      Object.entries(pods).map(([on, texts]) => [on, texts.map((text) => pod(on, text))]),
    );
    const daemons = { set, nodes, podsByNode, hash: "new", nowMs };
    assert.deepEqual(computeStatus(daemons, undefined), {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
      observedGeneration: 3,
      ...status,
    });
  });
}
