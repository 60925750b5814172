/** Cases: pkg/kubelet/kubelet_pods_test.go (TestPodPhaseWithRestartAlways, …Never, …OnFailure, …InitContainers). */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerStatus, PodPhase, PodSpec } from "#/api/core/v1.ts";
import { testContainer, testPod } from "#/testing/pod-fixtures.ts";
import { computePhase } from "./pod-phase.ts";

/** A status by a letter: r(unning), s(ucceeded), f(ailed), w(aiting), b: waits after a failure. */
function status(name: string, letter: string): ContainerStatus {
  const failed = { terminated: { exitCode: 1 } };
  const states: Record<string, Partial<ContainerStatus>> = {
    r: { state: { running: {} }, started: true },
    s: { state: { terminated: { exitCode: 0 } } },
    f: { state: failed },
    w: { state: { waiting: { reason: "ContainerCreating" } } },
    b: { state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: failed },
  };
  return { name, image: "", imageID: "", ready: false, restartCount: 0, ...states[letter] };
}

interface Case {
  /** States of the containers a and b; "-" for none known. */
  readonly states: string;
  readonly init?: string;
  readonly restartPolicy: NonNullable<PodSpec["restartPolicy"]>;
  readonly terminal?: boolean;
  readonly isStatic?: boolean;
  readonly phase: PodPhase;
}

const cases: readonly Case[] = [
  { states: "--", restartPolicy: "Always", phase: "Pending" },
  { states: "rr", restartPolicy: "Always", phase: "Running" },
  { states: "ss", restartPolicy: "Always", phase: "Running" },
  { states: "ff", restartPolicy: "Always", phase: "Running" },
  { states: "rs", restartPolicy: "Always", phase: "Running" },
  { states: "r-", restartPolicy: "Always", phase: "Pending" },
  { states: "rw", restartPolicy: "Always", phase: "Pending" },
  { states: "rb", restartPolicy: "Always", phase: "Running" },
  { states: "--", restartPolicy: "Never", phase: "Pending" },
  { states: "rr", restartPolicy: "Never", phase: "Running" },
  { states: "ss", restartPolicy: "Never", phase: "Succeeded" },
  { states: "ff", restartPolicy: "Never", phase: "Failed" },
  { states: "rf", restartPolicy: "Never", phase: "Running" },
  { states: "sf", restartPolicy: "Never", phase: "Failed" },
  { states: "r-", restartPolicy: "Never", phase: "Pending" },
  { states: "--", restartPolicy: "OnFailure", phase: "Pending" },
  { states: "rr", restartPolicy: "OnFailure", phase: "Running" },
  { states: "ss", restartPolicy: "OnFailure", phase: "Succeeded" },
  { states: "ff", restartPolicy: "OnFailure", phase: "Running" },
  { states: "rf", restartPolicy: "OnFailure", phase: "Running" },
  { states: "rb", restartPolicy: "OnFailure", phase: "Running" },
  { states: "ss", restartPolicy: "Always", terminal: true, phase: "Succeeded" },
  { states: "sf", restartPolicy: "Always", terminal: true, phase: "Failed" },
  { states: "ff", restartPolicy: "Always", terminal: true, isStatic: true, phase: "Running" },
  { states: "ww", init: "r", restartPolicy: "Always", phase: "Pending" },
  { states: "ww", init: "f", restartPolicy: "Never", phase: "Failed" },
  { states: "ww", init: "f", restartPolicy: "Always", phase: "Pending" },
  { states: "ww", init: "b", restartPolicy: "OnFailure", phase: "Pending" },
  { states: "rr", init: "s", restartPolicy: "Always", phase: "Running" },
];

for (const one of cases) {
  const { states, init, restartPolicy, terminal = false, isStatic = false, phase } = one;
  const details = [
    init ? `init ${init}` : "",
    terminal ? "terminal" : "",
    isStatic ? "static" : "",
  ];
  test(`computePhase() of ${states} ${restartPolicy} ${details.join(" ").trim()}`, () => {
    const pod = testPod({
      restartPolicy,
      containers: [testContainer("a"), testContainer("b")],
      ...(init ? { initContainers: [testContainer("init")] } : {}),
    });
    const statuses = ["a", "b"].flatMap((name, at) => {
      const letter = states.charAt(at);
      return letter === "-" ? [] : [status(name, letter)];
    });
    if (init) statuses.push(status("init", init));
    const initialized = /[rsf]/.test(states);
    assert.equal(computePhase({ pod, statuses, terminal, initialized, isStatic }), phase);
  });
}
