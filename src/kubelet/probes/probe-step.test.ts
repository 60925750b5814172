import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod, PodStatus } from "#/api/core/v1.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import type { ProbeChange } from "../state/pod-services.ts";
import { PodProbes } from "./pod-probes.ts";
import { countResult, freshProbe, probeStep } from "./probe-step.ts";
import type { ProbeOutcome } from "./run-probe.ts";

const clock = new FakeClock();
const now = clock.now();
const startedAt = new Date(now - 5_000).toISOString();
const container = { name: "c" };
const pod: Pod = { metadata: { uid: "u", name: "p" }, spec: { containers: [container] } };
const subject = {
  kind: "Readiness",
  probe: { failureThreshold: 2, successThreshold: 1, initialDelaySeconds: 0 },
  pod,
  container,
  kubeletStartMs: now,
} as const;
const statusWith = (more: object): PodStatus => ({
  phase: "Running",
  podIP: "10.0.0.2",
  containerStatuses: [
    {
      name: "c",
      containerID: "x://1",
      ready: false,
      restartCount: 0,
      image: "",
      imageID: "",
      started: true,
      state: { running: { startedAt } },
      ...more,
    },
  ],
});

const known = { ...freshProbe, containerID: "x://1" };
const steps: { name: string; at: Parameters<typeof probeStep>; expected: [string, string[]] }[] = [
  { name: "waits for a status", at: [subject, undefined, freshProbe, now], expected: ["wait", []] },
  {
    name: "begins with a failure for readiness",
    at: [subject, statusWith({}), freshProbe, now],
    expected: ["probe", ["Failure"]],
  },
  {
    name: "waits for the start",
    at: [subject, statusWith({ started: false }), known, now],
    expected: ["wait", []],
  },
  {
    name: "waits for the initial delay",
    at: [{ ...subject, probe: { initialDelaySeconds: 6 } }, statusWith({}), known, now],
    expected: ["wait", []],
  },
  {
    name: "ends with the pod",
    at: [subject, { phase: "Failed" }, known, now],
    expected: ["end", []],
  },
  {
    name: "keeps the state from before the kubelet",
    at: [{ ...subject, kubeletStartMs: now + 20_000 }, statusWith({}), freshProbe, now],
    expected: ["probe", []],
  },
  {
    name: "ends with a container that isn't started again",
    at: [
      { ...subject, pod: { ...pod, spec: { ...pod.spec, restartPolicy: "Never" } } },
      statusWith({ state: { terminated: { exitCode: 1 } } }),
      known,
      now,
    ],
    expected: ["end", ["Failure"]],
  },
];
for (const { name, at, expected } of steps) {
  test(`probeStep() ${name}`, () => {
    const { action, record } = probeStep(...at);
    assert.deepEqual([action, record], expected);
  });
}

test("countResult() needs the threshold of failures, and is on hold after a failed liveness probe", () => {
  const live = { kind: "Liveness", probe: { failureThreshold: 2 } } as const;
  const first = countResult(live, known, "Failure");
  assert.deepEqual(first.record, []);
  const second = countResult(live, first.state, "Failure");
  assert.deepEqual(second.record, ["Failure"]);
  assert.equal(second.state.onHold, true);
});

test("PodProbes reports changes and sets ready", async () => {
  const clock = new FakeClock();
  let outcome: ProbeOutcome = { result: "success", output: "" };
  const changes: ProbeChange[] = [];
  const warnings: string[] = [];
  const running = { startedAt: new Date(clock.now()).toISOString() };
  const status = statusWith({ state: { running } });
  const probes = new PodProbes({
    clock,
    random: () => 0,
    statuses: { get: () => status },
    runner: { run: async () => outcome },
    events: { record: (_pod, { message }) => void warnings.push(message) },
  });
  probes.subscribe((change) => changes.push(change));
  const probed = {
    ...pod,
    spec: {
      containers: [{ name: "c", readinessProbe: { periodSeconds: 1, failureThreshold: 1 } }],
    },
  };
  probes.addPod(probed);
  assert.equal(probes.applyResults(probed, status).containerStatuses?.[0]?.ready, false);
  await clock.advance(1_000);
  assert.equal(probes.applyResults(probed, status).containerStatuses?.[0]?.ready, true);
  outcome = { result: "failure", output: "no" };
  await clock.advance(1_000);
  assert.deepEqual(
    changes.map(({ result }) => result),
    ["Failure", "Success", "Failure"],
  );
  assert.deepEqual(warnings, ["Readiness probe failed: no"]);
  probes.removePod("u");
  assert.equal(probes.result("Readiness", "x://1"), undefined);
});
