import type { Case } from "../case.ts";
import { container, pod, podsPath } from "./pod-bodies.ts";
import { containerStatus, one, running, setStatus, table } from "./pods-life-steps.ts";
import { create } from "./steps.ts";

/** Table rows of pods in these states. */
const states: Readonly<Record<string, object>> = {
  waiting: {
    phase: "Pending",
    containerStatuses: [containerStatus({ state: { waiting: { reason: "ImagePullBackOff" } } })],
  },
  failed: { phase: "Failed", reason: "Evicted" },
  succeeded: {
    phase: "Succeeded",
    containerStatuses: [
      containerStatus({ state: { terminated: { exitCode: 0, reason: "Completed" } } }),
    ],
  },
  signal: {
    phase: "Running",
    containerStatuses: [containerStatus({ state: { terminated: { exitCode: 1, signal: 9 } } })],
  },
  "exit code": {
    phase: "Running",
    containerStatuses: [containerStatus({ state: { terminated: { exitCode: 3 } } })],
  },
  ready: {
    phase: "Running",
    podIP: "1.2.3.4",
    nominatedNodeName: "nn",
    conditions: [
      { type: "Ready", status: "True" },
      { type: "example.com/g", status: "True" },
    ],
    containerStatuses: [containerStatus({ ready: true, ...running })],
  },
  initializing: {
    phase: "Pending",
    initContainerStatuses: [
      containerStatus({ name: "i", state: { waiting: { reason: "PodInitializing" } } }),
    ],
  },
  "init failed": {
    phase: "Pending",
    initContainerStatuses: [
      containerStatus({ name: "i", restartCount: 2, state: { terminated: { exitCode: 2 } } }),
    ],
  },
  "init waits": {
    phase: "Pending",
    initContainerStatuses: [
      containerStatus({ name: "i", state: { waiting: { reason: "CrashLoopBackOff" } } }),
    ],
  },
  "half done": {
    phase: "Running",
    conditions: [
      { type: "Ready", status: "False" },
      { type: "Initialized", status: "True" },
    ],
    containerStatuses: [
      containerStatus({ state: { terminated: { exitCode: 0, reason: "Completed" } } }),
      containerStatus({ name: "d", ready: true, ...running }),
    ],
  },
};

export const tables: Case[] = Object.entries(states).map(([name, state]) => ({
  name: `table: ${name}`,
  steps: [
    create(
      podsPath,
      pod({
        readinessGates: [{ conditionType: "example.com/g" }, { conditionType: "example.com/h" }],
        containers: [container(), container({ name: "d" })],
        initContainers: [
          container({ name: "i" }),
          container({ name: "s", restartPolicy: "Always" }),
        ],
      }),
    ),
    setStatus(state),
    table(`${one}?includeObject=None`),
  ],
}));
