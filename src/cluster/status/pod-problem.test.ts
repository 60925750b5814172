import assert from "node:assert/strict";
import { test } from "node:test";
import { type PodReport, podProblem } from "./pod-problem.ts";

const now = "2026-01-01T00:10:00Z";
const ready = (status: string, lastTransitionTime: string | null, message = "") => ({
  conditions: [{ type: "Ready", status, message, lastTransitionTime }],
});
const waiting = (reason: string, message?: string) => ({
  containerStatuses: [{ name: "web", state: { waiting: { reason, ...(message && { message }) } } }],
});
const crashing = (reason: string, exitCode: number) => ({
  containerStatuses: [
    {
      name: "web",
      restartCount: 4,
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s restarting" } },
      lastState: { terminated: { reason, exitCode } },
    },
  ],
});

const cases: readonly (readonly [string, PodReport["status"], string | undefined])[] = [
  ["no status", undefined, undefined],
  ["lists that are null", { conditions: null, containerStatuses: null }, undefined],
  ["Succeeded", { phase: "Succeeded", ...ready("False", now) }, undefined],
  [
    "evicted",
    { phase: "Failed", reason: "Evicted", message: "low on disk" },
    "Evicted: low on disk",
  ],
  ["failed without a reason", { phase: "Failed" }, "Failed"],
  ["being created", waiting("ContainerCreating"), undefined],
  ["no image", waiting("ImagePullBackOff", "Back-off\npulling"), "ImagePullBackOff: Back-off"],
  ["missing ConfigMap", waiting("CreateContainerConfigError"), "CreateContainerConfigError"],
  ["crashing", crashing("Error", 3), "CrashLoopBackOff: exit code 3, restarted 4 times"],
  [
    "out of memory",
    crashing("OOMKilled", 137),
    "CrashLoopBackOff: out of memory, restarted 4 times",
  ],
  [
    "unschedulable",
    {
      conditions: [
        { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes" },
      ],
    },
    "Unschedulable: 0/1 nodes",
  ],
  ["ready", ready("True", "2026-01-01T00:00:00Z"), undefined],
  ["started just now", ready("False", "2026-01-01T00:09:50Z"), undefined],
  [
    "not ready for long",
    ready("False", "2026-01-01T00:00:00Z", "unready: [web]"),
    "not Ready: unready: [web]",
  ],
  ["a transition without a time", ready("False", null), undefined],
];
for (const [name, status, expected] of cases) {
  test(`podProblem() of a Pod: ${name}`, () => {
    const metadata = { name: "web", namespace: "default" };
    const pod = { metadata, ...(status && { status }) };
    assert.equal(podProblem(pod, Date.parse(now)), expected);
  });
}
