import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import type { PodDisruptionBudget } from "#/api/policy/v1.ts";
import { asking, occupied, testNode, testPlugin, testPod } from "#/testing/scheduler-objects.ts";
import { podInfoOf } from "../cache/pod-info.ts";
import { Snapshot } from "../cache/snapshot.ts";
import { Cycle } from "../framework/cycle.ts";
import { prepareFilters } from "../framework/filter-run.ts";
import { candidatesWanted } from "../plugins/candidates-wanted.ts";
import { nodeResourcesFit } from "../plugins/node-resources-fit.ts";
import { compileBudgets } from "./disruption-budgets.ts";
import { pickCandidate } from "./pick-candidate.ts";
import { foundVictims, selectVictims } from "./select-victims.ts";

const fit = testPlugin(nodeResourcesFit);
const pod = (
  name: string,
  cpu: string,
  priority: number,
  more: { app?: string; start?: string } = {},
): Pod =>
  testPod(name, {
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      ...(more.app ? { labels: { app: more.app } } : {}),
    },
    spec: { ...asking({ cpu }), priority },
    ...(more.start ? { status: { startTime: more.start } } : {}),
  });
const budget = (app: string, disruptionsAllowed: number): PodDisruptionBudget => ({
  metadata: { name: app, namespace: "default" },
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
});

function victimsOf(
  preemptor: Pod,
  pods: readonly Pod[],
  budgets: readonly PodDisruptionBudget[] = [],
) {
  const node = occupied(testNode("node"), pods);
  const cycle = new Cycle(podInfoOf(preemptor), Snapshot.of([node]));
  const { run } = prepareFilters([fit], cycle, () => []);
  const answer = selectVictims(run, node, compileBudgets(budgets));
  if (!foundVictims(answer)) return answer.reasons.join(", ");
  return {
    victims: answer.pods.map(({ metadata }) => metadata.name),
    violations: answer.pdbViolations,
  };
}

const old = "2025-01-01T00:00:00Z";
const young = "2025-01-02T00:00:00Z";

for (const { name, preemptor, pods, budgets, expected } of [
  {
    name: "selects the fewest and least important pods",
    preemptor: pod("high", "2", 10),
    pods: [pod("a", "2", 1), pod("b", "2", 2)],
    expected: { victims: ["a"], violations: 0 },
  },
  {
    name: "keeps the pod that has run longer",
    preemptor: pod("high", "2", 10),
    pods: [pod("a", "2", 1, { start: young }), pod("b", "2", 1, { start: old })],
    expected: { victims: ["a"], violations: 0 },
  },
  {
    name: "selects no pods of the same priority",
    preemptor: pod("high", "2", 10),
    pods: [pod("a", "4", 10)],
    expected: "No preemption victims found for incoming pod",
  },
  {
    name: "rejects a node that would be too small if empty",
    preemptor: pod("high", "2", 10),
    pods: [pod("a", "3", 10), pod("b", "1", 1)],
    expected: "Insufficient cpu",
  },
  {
    name: "keeps pods whose budget would be violated",
    preemptor: pod("high", "2", 10),
    pods: [pod("a", "2", 1, { app: "guarded" }), pod("b", "2", 2)],
    budgets: [budget("guarded", 0)],
    expected: { victims: ["b"], violations: 0 },
  },
  {
    name: "counts violations that can't be avoided",
    preemptor: pod("high", "4", 10),
    pods: [pod("a", "2", 1, { app: "guarded" }), pod("b", "2", 2, { app: "guarded" })],
    budgets: [budget("guarded", 1)],
    expected: { victims: ["b", "a"], violations: 1 },
  },
]) {
  test(`selectVictims() ${name}`, () => {
    assert.deepEqual(victimsOf(preemptor, pods, budgets), expected);
  });
}

const candidate = (nodeName: string, pdbViolations: number, ...pods: Pod[]) => ({
  nodeName,
  victims: { pods, pdbViolations },
});

for (const { name, candidates, best } of [
  {
    name: "prefers the fewest violated budgets",
    candidates: [candidate("a", 1, pod("x", "1", 0)), candidate("b", 0, pod("y", "1", 9))],
    best: "b",
  },
  {
    name: "then the lowest highest priority",
    candidates: [
      candidate("a", 0, pod("x", "1", 5)),
      candidate("b", 0, pod("y", "1", 4), pod("z", "1", 4)),
    ],
    best: "b",
  },
  {
    name: "then the lowest sum of priorities",
    candidates: [
      candidate("a", 0, pod("x", "1", 5), pod("w", "1", 3)),
      candidate("b", 0, pod("y", "1", 5), pod("z", "1", 2)),
    ],
    best: "b",
  },
  {
    name: "counts a pod of negative priority as a pod",
    candidates: [
      candidate("a", 0, pod("x", "1", 5), pod("w", "1", -3)),
      candidate("b", 0, pod("y", "1", 5)),
    ],
    best: "b",
  },
  {
    name: "then the victims that started last",
    candidates: [
      candidate("a", 0, pod("x", "1", 5, { start: old })),
      candidate("b", 0, pod("y", "1", 5, { start: young })),
    ],
    best: "b",
  },
]) {
  test(`pickCandidate() ${name}`, () => {
    assert.equal(pickCandidate(candidates)?.nodeName, best);
  });
}

test("candidatesWanted() is a share, but at least a hundred, of all nodes", () => {
  const args = { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 };
  const wanted = [10, 100, 500, 5000].map((nodes) => candidatesWanted(args, nodes));
  assert.deepEqual(wanted, [10, 100, 100, 500]);
});
