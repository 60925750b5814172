/** Cases: pkg/kubelet/status/generate_test.go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerStatus, PodCondition, PodPhase, PodSpec } from "#/api/core/v1.ts";
import { testContainer, testObservedPod, testPod } from "#/testing/pod-fixtures.ts";
import type { ObservedPod } from "../state/observed-pod.ts";
import { computeConditions } from "./pod-conditions.ts";

const status = (
  name: string,
  ready: boolean,
  rest: Partial<ContainerStatus> = {},
): ContainerStatus => ({
  name,
  image: "",
  imageID: "",
  restartCount: 0,
  ready,
  ...rest,
});
const running = { state: { running: {} } };

const cases: readonly {
  readonly name: string;
  readonly spec?: Partial<PodSpec>;
  readonly statuses?: readonly ContainerStatus[];
  readonly phase?: PodPhase;
  readonly old?: readonly PodCondition[];
  readonly foreign?: readonly PodCondition[];
  readonly observed?: ObservedPod;
  /** Conditions that are not True, by type: reason and message. */
  readonly problems: Readonly<Record<string, string>>;
}[] = [
  { name: "all containers are ready", statuses: [status("main", true, running)], problems: {} },
  {
    name: "a container is not ready",
    statuses: [status("main", false, running)],
    problems: {
      Ready: "ContainersNotReady: containers with unready status: [main]",
      ContainersReady: "ContainersNotReady: containers with unready status: [main]",
    },
  },
  {
    name: "a container is unknown",
    statuses: [],
    problems: {
      Ready: "ContainersNotReady: containers with unknown status: [main]",
      ContainersReady: "ContainersNotReady: containers with unknown status: [main]",
    },
  },
  {
    name: "the Pod has succeeded",
    statuses: [status("main", false)],
    phase: "Succeeded",
    problems: { Ready: "PodCompleted", ContainersReady: "PodCompleted" },
  },
  {
    name: "the Pod has failed",
    statuses: [status("main", false)],
    phase: "Failed",
    problems: { Ready: "PodFailed", ContainersReady: "PodFailed" },
  },
  {
    name: "an init container is not done",
    spec: { initContainers: [testContainer("init")] },
    statuses: [status("init", false), status("main", true)],
    problems: {
      Initialized: "ContainersNotInitialized: containers with incomplete status: [init]",
    },
  },
  {
    name: "an init container is unknown, but the Pod was initialized before",
    spec: { initContainers: [testContainer("init")] },
    statuses: [status("main", true)],
    old: [{ type: "Initialized", status: "True" }],
    problems: {},
  },
  {
    name: "an init container is not done, but the main one has started",
    spec: { initContainers: [testContainer("init")] },
    statuses: [status("init", false), status("main", true, running)],
    problems: {},
  },
  {
    name: "a sidecar has not started",
    spec: { initContainers: [testContainer("side", { restartPolicy: "Always" })] },
    statuses: [status("side", false, { started: false }), status("main", true)],
    problems: {
      Initialized: "ContainersNotInitialized: containers with incomplete status: [side]",
      Ready: "ContainersNotReady: containers with unready status: [side]",
      ContainersReady: "ContainersNotReady: containers with unready status: [side]",
    },
  },
  {
    name: "a readiness gate has no condition",
    spec: { readinessGates: [{ conditionType: "gate" }] },
    statuses: [status("main", true, running)],
    problems: {
      Ready:
        'ReadinessGatesNotReady: corresponding condition of pod readiness gate "gate" does not exist.',
    },
  },
  {
    name: "a readiness gate is closed",
    spec: { readinessGates: [{ conditionType: "gate" }] },
    statuses: [status("main", true, running)],
    foreign: [{ type: "gate", status: "False" }],
    problems: {
      Ready:
        'ReadinessGatesNotReady: the status of pod readiness gate "gate" is not "True", but False',
    },
  },
  {
    name: "a readiness gate is open",
    spec: { readinessGates: [{ conditionType: "gate" }] },
    statuses: [status("main", true, running)],
    foreign: [{ type: "gate", status: "True" }],
    problems: {},
  },
  {
    name: "there is no sandbox",
    statuses: [status("main", true, running)],
    observed: testObservedPod([], { sandboxes: [], ips: [] }),
    problems: { PodReadyToStartContainers: "PodSandboxNotReady: no pod sandbox exists" },
  },
];

for (const { name, spec, statuses = [], phase = "Running", old, foreign = [], ...rest } of cases) {
  test(`computeConditions() when ${name}`, () => {
    const pod = testPod(spec, { generation: 2 });
    const observed = rest.observed ?? testObservedPod([]);
    const found = computeConditions({ pod, observed, phase, statuses, old, foreign });
    assert.deepEqual(
      found.map(({ type }) => type),
      ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"],
    );
    assert.deepEqual(
      Object.fromEntries(
        found
          .filter((one) => one.status !== "True")
          .map(({ type, reason, message }) => [type, message ? `${reason}: ${message}` : reason]),
      ),
      rest.problems,
    );
    assert.ok(found.every(({ observedGeneration }) => observedGeneration === 2));
  });
}
