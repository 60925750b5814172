/** Cases: pkg/kubelet/kuberuntime/kuberuntime_manager_test.go (TestComputePodActionsWithInitContainers and …RestartableInitContainers). */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Container, PodSpec } from "#/api/core/v1.ts";
import { testContainer, testObserved, testObservedPod, testPod } from "#/testing/pod-fixtures.ts";
import type { ObservedContainer } from "../state/observed-pod.ts";
import type { ProbeKind, ProbeResult } from "../state/pod-services.ts";
import { computeInitActions, type InitActions } from "./init-actions.ts";

const init = ["one", "two", "three"].map((name) => testContainer(name));
const sidecars = ["one", "two", "three"].map((name) =>
  testContainer(name, { restartPolicy: "Always" }),
);
const probed = sidecars.map((one) => ({ ...one, startupProbe: {} }));
const mixed = [testContainer("one"), testContainer("two", { restartPolicy: "Always" })];

const exited = (name: string, exitCode = 0) => testObserved(name, "exited", { exitCode });
const running = (name: string) => testObserved(name, "running");
/** A sidecar that runs, as its own definition makes it. */
const unknown = (name: string) => testObserved(name, "unknown");

/** "done start(two) kill(one) keep(two)", or "failed". */
function textOf({ done, failed, start, kill, keep }: InitActions): string {
  const parts = [
    done ? "done" : "",
    failed ? "failed" : "",
    ...start.map((name) => `start(${name})`),
    ...kill.map(({ container }) => `kill(${container.name})`),
    ...keep.map((name) => `keep(${name})`),
  ];
  return parts.filter((part) => part !== "").join(" ");
}

const cases: readonly {
  readonly name: string;
  readonly init: readonly Container[];
  readonly observed: readonly ObservedContainer[];
  readonly restartPolicy?: NonNullable<PodSpec["restartPolicy"]>;
  readonly probes?: Readonly<Record<string, ProbeResult>>;
  readonly actions: string;
}[] = [
  { name: "none", init: [], observed: [], actions: "done" },
  { name: "the first begins", init, observed: [], actions: "start(one)" },
  { name: "the first runs", init, observed: [running("one")], actions: "keep(one)" },
  { name: "the first is done", init, observed: [exited("one")], actions: "start(two)" },
  {
    name: "the first was removed, the second is done",
    init,
    observed: [exited("two")],
    actions: "start(three)",
  },
  {
    name: "the last is done",
    init,
    observed: [exited("three"), exited("two"), exited("one")],
    actions: "done",
  },
  {
    name: "the main container runs, so all were done",
    init,
    observed: [running("main")],
    actions: "done",
  },
  {
    name: "the last failed and is repeated",
    init,
    observed: [exited("three", 1), exited("two"), exited("one")],
    restartPolicy: "OnFailure",
    actions: "start(three)",
  },
  {
    name: "the last failed and is repeated although it succeeds only once (Always)",
    init,
    observed: [exited("three", 1), exited("two"), exited("one")],
    actions: "start(three)",
  },
  {
    name: "the last failed for good",
    init,
    observed: [exited("three", 1), exited("two"), exited("one")],
    restartPolicy: "Never",
    actions: "failed",
  },
  {
    name: "the last is in an unknown state",
    init,
    observed: [unknown("three"), exited("two"), exited("one")],
    actions: "start(three) kill(three)",
  },
  {
    name: "the last is in an unknown state and may not be repeated",
    init,
    observed: [unknown("three"), exited("two"), exited("one")],
    restartPolicy: "Never",
    actions: "failed",
  },
  {
    name: "one was created but not started",
    init,
    observed: [testObserved("one", "created")],
    actions: "start(one)",
  },
  {
    name: "one that was killed for its memory has failed",
    init,
    observed: [testObserved("one", "exited", { exitCode: 0, reason: "OOMKilled" })],
    actions: "start(one)",
  },
  {
    name: "a sidecar that runs lets the next start",
    init: mixed.toReversed(),
    observed: [testObserved("two", "running", { hash: "x" })],
    actions: "start(two) start(one) kill(two)",
  },
  {
    name: "a sidecar with a startup probe delays the next",
    init: probed,
    observed: [running("one")],
    actions: "keep(one)",
  },
  {
    name: "a sidecar whose startup probe failed",
    init: probed,
    observed: [running("one")],
    probes: { "Startup one": "Failure" },
    actions: "start(one) kill(one)",
  },
  {
    name: "sidecars that ended while the main container runs",
    init: sidecars,
    observed: [running("main"), exited("one"), exited("two"), exited("three")],
    actions: "done start(one) start(two) start(three)",
  },
  {
    name: "a sidecar that is missing while the main container runs",
    init: sidecars,
    observed: [running("main")],
    actions: "done start(one) start(two) start(three)",
  },
  {
    name: "a sidecar that ended before the others started",
    init: sidecars,
    observed: [exited("one")],
    actions: "start(one)",
  },
];

for (const { name, init: containers, observed, restartPolicy, probes = {}, actions } of cases) {
  test(`computeInitActions(): ${name}`, () => {
    const pod = testPod({
      initContainers: [...containers],
      ...(restartPolicy ? { restartPolicy } : {}),
    });
    const probe = (kind: ProbeKind, container: { name: string }) =>
      probes[`${kind} ${container.name}`];
    const found = computeInitActions(pod, testObservedPod(observed), { probe });
    assert.equal(textOf(found), actions);
  });
}

test("computeInitActions() starts from the first in a new sandbox", () => {
  const sandbox = { id: "s2", attempt: 1, ready: true, createdAtMs: 0, hostNetwork: false };
  const observed = testObservedPod([exited("two"), exited("one")], {
    sandboxes: [{ ...sandbox, runtimeHandler: "" }],
  });
  const pod = testPod({ initContainers: init });
  assert.equal(textOf(computeInitActions(pod, observed, { probe: () => undefined })), "start(one)");
});
