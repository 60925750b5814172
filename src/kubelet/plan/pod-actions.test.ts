import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import { testContainer, testObserved, testObservedPod, testPod } from "#/testing/pod-fixtures.ts";
import type { ObservedPod } from "../state/observed-pod.ts";
import type { ProbeKind, ProbeResult } from "../state/pod-services.ts";
import { computePodActions } from "./pod-actions.ts";

interface Case {
  readonly name: string;
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly probes?: Readonly<Record<string, ProbeResult>>;
  readonly restartAll?: boolean;
  /** The actions in order, in the form of text(). */
  readonly expected: string;
}

const nothing: ObservedPod = testObservedPod([], { sandboxes: [], ips: [] });
const deadSandbox = {
  sandboxes: [
    { id: "s1", attempt: 0, ready: false, createdAtMs: 0, hostNetwork: false, runtimeHandler: "" },
  ],
  ips: [],
};
const init = testContainer("init");
const second = testContainer("second");
const sidecar = testContainer("side", { restartPolicy: "Always" });
const probed = testContainer("side", { restartPolicy: "Always", startupProbe: {} });
const exited = (name: string, exitCode = 0) => testObserved(name, "exited", { exitCode });
const running = (name: string) => testObserved(name, "running");

const cases: readonly Case[] = [
  {
    name: "starts a new pod with its sandbox",
    pod: testPod(),
    observed: nothing,
    expected: "kill-pod sandbox#0 start(main)",
  },
  {
    name: "leaves a running pod unchanged",
    pod: testPod(),
    observed: testObservedPod([running("main")]),
    expected: "",
  },
  {
    name: "restarts a container that ended",
    pod: testPod(),
    observed: testObservedPod([exited("main", 1)]),
    expected: "start(main)",
  },
  {
    name: "is done when no container has to be restarted",
    pod: testPod({ restartPolicy: "OnFailure" }),
    observed: testObservedPod([exited("main")]),
    expected: "kill-pod",
  },
  {
    name: "restarts a failed container by its rule, whatever its policy",
    pod: testPod({
      restartPolicy: "Never",
      containers: [
        testContainer("main", {
          restartPolicy: "Never",
          restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }],
        }),
      ],
    }),
    observed: testObservedPod([exited("main", 42)]),
    expected: "start(main)",
  },
  {
    name: "makes a new sandbox when the old one is dead",
    pod: testPod(),
    observed: testObservedPod([exited("main")], deadSandbox),
    expected: "kill-pod sandbox#1 start(main)",
  },
  {
    name: "makes no new sandbox for a pod that never restarts",
    pod: testPod({ restartPolicy: "Never" }),
    observed: testObservedPod([exited("main")], deadSandbox),
    expected: "kill-pod",
  },
  {
    name: "replaces a container whose definition changed",
    pod: testPod({ containers: [testContainer("main", { image: "image:2" })] }),
    observed: testObservedPod([running("main")]),
    expected: "kill(main: Container main definition changed, will be restarted) start(main)",
  },
  {
    name: "kills a container that fails its liveness probe, for good where it never restarts",
    pod: testPod({ restartPolicy: "Never" }),
    observed: testObservedPod([running("main")]),
    probes: { "Liveness main": "Failure" },
    expected: "kill-pod kill(main: Container main failed liveness probe)",
  },
  {
    name: "starts the first init container",
    pod: testPod({ initContainers: [init, second] }),
    observed: testObservedPod([]),
    expected: "start-init(init)",
  },
  {
    name: "starts the next init container when one is done",
    pod: testPod({ initContainers: [init, second] }),
    observed: testObservedPod([exited("init")]),
    expected: "start-init(second)",
  },
  {
    name: "starts containers when the last init container is done, even if earlier ones were removed",
    pod: testPod({ initContainers: [init, second] }),
    observed: testObservedPod([exited("second")]),
    expected: "start(main)",
  },
  {
    name: "fails a pod that never restarts with its init container",
    pod: testPod({ initContainers: [init], restartPolicy: "Never" }),
    observed: testObservedPod([exited("init", 1)]),
    expected: "kill-pod",
  },
  {
    name: "waits for a sidecar's startup probe",
    pod: testPod({ initContainers: [probed, second] }),
    observed: testObservedPod([running("side")]),
    expected: "",
  },
  {
    name: "continues when a sidecar has started",
    pod: testPod({ initContainers: [probed, second] }),
    observed: testObservedPod([running("side")]),
    probes: { "Startup side": "Success" },
    expected: "start-init(second)",
  },
  {
    name: "restarts a sidecar beside running containers",
    pod: testPod({ initContainers: [sidecar] }),
    observed: testObservedPod([running("main"), exited("side", 1)]),
    expected: "start-init(side)",
  },
  {
    name: "doesn't let a sidecar keep a pod alive",
    pod: testPod({ initContainers: [sidecar], restartPolicy: "Never" }),
    observed: testObservedPod([exited("main"), running("side")]),
    expected: "kill-pod",
  },
  {
    name: "starts ephemeral containers once",
    pod: testPod({ ephemeralContainers: [{ name: "debug" }, { name: "old" }] }),
    observed: testObservedPod([running("main"), exited("old")]),
    expected: "start-ephemeral(debug)",
  },
  {
    name: "kills a container in an unknown state before it is replaced",
    pod: testPod(),
    observed: testObservedPod([testObserved("main", "unknown")]),
    expected:
      'kill(main: Container is in "unknown" state, try killing it before restart) start(main)',
  },
  {
    name: "removes all containers to restart them, the cause last",
    pod: testPod({ containers: [testContainer("main"), testContainer("other")] }),
    observed: testObservedPod([exited("main", 1), running("other")]),
    restartAll: true,
    expected: "reset(other) reset(main)",
  },
];

for (const { name, pod, observed, probes = {}, restartAll = false, expected } of cases) {
  test(`computePodActions() ${name}`, () => {
    const probe = (kind: ProbeKind, container: { name: string }) =>
      probes[`${kind} ${container.name}`];
    assert.equal(text(computePodActions(pod, observed, { probe, restartAll })), expected);
  });
}

function text(actions: ReturnType<typeof computePodActions>): string {
  return [
    actions.killPod ? "kill-pod" : "",
    actions.createSandbox ? `sandbox#${actions.attempt}` : "",
    ...actions.kill.map(({ container, message }) => `kill(${container.name}: ${message})`),
    ...actions.reset.map(({ name }) => `reset(${name})`),
    ...actions.startEphemeral.map((name) => `start-ephemeral(${name})`),
    ...actions.startInit.map((name) => `start-init(${name})`),
    ...actions.start.map((name) => `start(${name})`),
  ]
    .filter((part) => part !== "")
    .join(" ");
}
