import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerStatus, Pod, PodStatus } from "#/api/core/v1.ts";
import { testContainer, testObserved, testObservedPod, testPod } from "#/testing/pod-fixtures.ts";
import type { ObservedPod } from "../state/observed-pod.ts";
import type { StartFailure } from "./container-statuses.ts";
import { computePodStatus } from "./pod-status.ts";

interface Case {
  readonly name: string;
  readonly pod?: Pod;
  readonly observed: ObservedPod;
  readonly old?: PodStatus;
  readonly failures?: Readonly<Record<string, StartFailure>>;
  readonly terminal?: boolean;
  readonly failed?: { reason: string; message: string };
  /** Phase, then each container, in the form of text(). */
  readonly expected: string;
}

const nothing = testObservedPod([], { sandboxes: [], ips: [] });
const ranBefore: ContainerStatus = {
  name: "main",
  state: { running: {} },
  ready: true,
  restartCount: 2,
  image: "image:1",
  imageID: "image@1",
};

const cases: readonly Case[] = [
  {
    name: "waits for its containers to be created",
    observed: nothing,
    expected: "Pending main=waiting/ContainerCreating",
  },
  {
    name: "waits for initialization",
    pod: testPod({ initContainers: [testContainer("init")] }),
    observed: testObservedPod([testObserved("init", "running")]),
    expected: "Pending init=running main=waiting/PodInitializing",
  },
  {
    name: "runs",
    observed: testObservedPod([testObserved("main", "running")]),
    expected: "Running main=running",
  },
  {
    name: "reports why a container did not start",
    observed: testObservedPod([]),
    failures: { main: { reason: "ErrImagePull", message: "no such image" } },
    expected: "Pending main=waiting/ErrImagePull",
  },
  {
    name: "stays running while a container waits to be started again, with its last end",
    observed: testObservedPod([testObserved("main", "exited", { exitCode: 1, reason: "Error" })]),
    failures: { main: { reason: "CrashLoopBackOff", message: "back-off 10s" } },
    expected: "Running main=waiting/CrashLoopBackOff,last=terminated/Error(1)",
  },
  {
    name: "has succeeded when all containers succeeded and none runs again",
    pod: testPod({ restartPolicy: "Never" }),
    observed: testObservedPod([testObserved("main", "exited", { reason: "Completed" })]),
    expected: "Succeeded main=terminated/Completed(0)",
  },
  {
    name: "has failed when one failed and none runs again",
    pod: testPod({ restartPolicy: "Never" }),
    observed: testObservedPod([testObserved("main", "exited", { exitCode: 2, reason: "Error" })]),
    expected: "Failed main=terminated/Error(2)",
  },
  {
    name: "ends with its containers once it has to end, whatever the policy",
    observed: testObservedPod([testObserved("main", "exited", { exitCode: 137, reason: "Error" })]),
    terminal: true,
    expected: "Failed main=terminated/Error(137)",
  },
  {
    name: "reports a container as lost that the runtime no longer has",
    observed: nothing,
    old: { phase: "Running", containerStatuses: [ranBefore] },
    expected:
      "Running main=waiting/ContainerCreating,last=terminated/ContainerStatusUnknown(137),restarts=3",
  },
  {
    name: "fails with the reason of its eviction",
    observed: testObservedPod([testObserved("main", "running")]),
    failed: { reason: "DeadlineExceeded", message: "too long" },
    expected: "Failed/DeadlineExceeded main=running",
  },
  {
    name: "never leaves its final phase",
    observed: testObservedPod([testObserved("main", "running")]),
    old: { phase: "Failed", reason: "Evicted" },
    expected: "Failed/Evicted main=running",
  },
  {
    name: "counts a removed init container as done once the pod is initialized",
    pod: testPod({ initContainers: [testContainer("init")] }),
    observed: testObservedPod([testObserved("main", "running")]),
    expected: "Running init=terminated/Completed(0) main=running",
  },
];

for (const { name, pod = testPod(), observed, old = {}, expected, ...rest } of cases) {
  test(`a pod ${name}`, () => {
    assert.equal(text(statusOf(pod, observed, old, rest)), expected);
  });
}

test("computePodStatus() reports unready containers with the reason", () => {
  const status = statusOf(testPod(), nothing, {}, {});
  const said = status.conditions?.map(({ type, status, reason = "", message = "" }) =>
    [type, status, reason, message].filter((part) => part !== "").join(" "),
  );
  assert.deepEqual(said, [
    "PodReadyToStartContainers False PodSandboxNotReady no pod sandbox exists",
    "Initialized True",
    "Ready False ContainersNotReady containers with unready status: [main]",
    "ContainersReady False ContainersNotReady containers with unready status: [main]",
    "PodScheduled True",
  ]);
});

test("computePodStatus() waits for readiness gates", () => {
  const pod = testPod({ readinessGates: [{ conditionType: "example.org/gate" }] });
  const ready = (status: PodStatus): string | undefined =>
    status.conditions?.find(({ type }) => type === "Ready")?.message;
  const observed = testObservedPod([testObserved("main", "running")]);
  assert.equal(
    ready(statusOf(pod, observed, {}, {})),
    'corresponding condition of pod readiness gate "example.org/gate" does not exist.',
  );
});

type Rest = Pick<Case, "failures" | "terminal" | "failed">;

function statusOf(pod: Pod, observed: ObservedPod, old: PodStatus, rest: Rest): PodStatus {
  const { failures = {}, terminal = false, failed } = rest;
  return computePodStatus({
    pod,
    observed,
    old,
    terminal,
    isStatic: false,
    hostIPs: ["10.0.0.1"],
    runtimeName: "containerd",
    recursiveReadOnly: false,
    failureOf: (name) => failures[name],
    applyProbes: (status) => ({
      ...status,
      containerStatuses: (status.containerStatuses ?? []).map((one) => ({
        ...one,
        ready: one.state?.running !== undefined,
      })),
    }),
    failed,
  });
}

function text({ phase, reason, ...status }: PodStatus): string {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const containers = all.map((one) => {
    const last = one.lastState?.terminated ? `,last=${state(one.lastState)}` : "";
    const restarts = one.restartCount > 0 ? `,restarts=${one.restartCount}` : "";
    return `${one.name}=${state(one.state)}${last}${restarts}`;
  });
  return [reason ? `${phase}/${reason}` : phase, ...containers].join(" ");
}

function state(of: ContainerStatus["state"]): string {
  if (of?.running) return "running";
  if (of?.terminated) return `terminated/${of.terminated.reason}(${of.terminated.exitCode})`;
  return `waiting/${of?.waiting?.reason}`;
}
