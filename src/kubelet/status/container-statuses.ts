/** Upstream: pkg/kubelet/kubelet_pods.go (convertToAPIContainerStatuses). */
import type {
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
  VolumeMountStatus,
} from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import type { ObservedContainer, ObservedPod } from "../state/observed-pod.ts";
import { type AnyContainer, isSidecar } from "../state/pod-containers.ts";
import { isToStart } from "../state/restart-policy.ts";
import { reportedResources } from "./reported-resources.ts";

/** Why the last try to start a container failed: `ImagePullBackOff` and its message. */
export interface StartFailure {
  readonly reason: string;
  readonly message: string;
}

interface ContainerStatusesInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly containers: readonly AnyContainer[];
  /** The previous statuses. */
  readonly previous: readonly ContainerStatus[];
  readonly init?: boolean;
  /** All containers of the pod are being restarted. */
  readonly restartingAll: boolean;
  readonly failureOf: (containerName: string) => StartFailure | undefined;
  /** Type of the runtime in container ids: `containerd`. */
  readonly runtimeName: string;
  readonly recursiveReadOnly: boolean;
}

const restartingAllReason = "RestartingAllContainers";
const unknownReason = "ContainerStatusUnknown";

/** The statuses of containers of one kind, in the order of their report. */
export function containerStatuses(input: ContainerStatusesInput): ContainerStatus[] {
  const statuses = input.containers.map((container) => statusOf(container, input));
  if (!input.init) return statuses.sort((a, b) => (a.name < b.name ? -1 : 1));
  return statuses;
}

function statusOf(container: AnyContainer, input: ContainerStatusesInput): ContainerStatus {
  const { pod, observed, previous } = input;
  const old = previous.find(({ name }) => name === container.name);
  const [newest, before] = observed.containers.filter(({ name }) => name === container.name);
  const status =
    newest === undefined
      ? statusWithoutContainer(container, old, input)
      : statusFromRuntime(container, newest, old, input);
  if (before && newest) status.lastState = stateOf(before, old, input);
  if (input.init) {
    if (newest?.state === "exited" && newest.exitCode === 0) return status;
    const initialized = pod.spec.containers.some(({ name }) =>
      observed.containers.some((one) => one.name === name),
    );
    if (!newest && initialized && !isSidecar(container) && status.state?.waiting) {
      return { ...status, state: { terminated: assumedCompleted } };
    }
  }
  const failure = input.failureOf(container.name);
  if (failure === undefined || !isToStart(container, pod, newest)) return status;
  if (status.state?.terminated) status.lastState = status.state;
  const { reason, message } = failure;
  status.state = { waiting: { reason, ...(message && { message }) } };
  return status;
}

const assumedCompleted: ContainerStateTerminated = {
  exitCode: 0,
  reason: "Completed",
  message:
    "Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally",
};

function statusWithoutContainer(
  container: AnyContainer,
  old: ContainerStatus | undefined,
  input: ContainerStatusesInput,
): ContainerStatus {
  const { pod, restartingAll } = input;
  const reason = pod.spec.initContainers?.length ? "PodInitializing" : "ContainerCreating";
  const volumeMounts = volumeMountStatuses(container, input.recursiveReadOnly);
  let status: ContainerStatus = {
    name: container.name,
    state: { waiting: { reason } },
    ...(old?.lastState && { lastState: old.lastState }),
    ready: false,
    restartCount: old?.restartCount ?? 0,
    image: container.image ?? "",
    imageID: "",
    ...(volumeMounts.length > 0 && { volumeMounts }),
  };
  if (old === undefined) return status;
  if (restartingAll && !old.state?.waiting) {
    const message = "The container is removed because RestartAllContainers in place";
    return {
      ...status,
      state: { waiting: { reason: restartingAllReason, message } },
      lastState: { terminated: { exitCode: 137, reason: restartingAllReason, message } },
      restartCount: old.restartCount + 1,
    };
  }
  if (old.state?.terminated) return { ...old };
  if (!old.state?.running || status.lastState?.terminated) return status;
  const terminated = {
    exitCode: 137,
    reason: unknownReason,
    message:
      "The container could not be located when the pod was deleted.  The container used to be Running",
  };
  status = { ...status, lastState: { terminated } };
  if (pod.metadata.deletionTimestamp === undefined) status.restartCount += 1;
  return status;
}

function statusFromRuntime(
  container: AnyContainer,
  observed: ObservedContainer,
  old: ContainerStatus | undefined,
  input: ContainerStatusesInput,
): ContainerStatus {
  const containerID = `${input.runtimeName}://${observed.id}`;
  const volumeMounts = old?.volumeMounts ?? volumeMountStatuses(container, input.recursiveReadOnly);
  const { user } = observed;
  const status: ContainerStatus = {
    name: container.name,
    state: stateOf(observed, old, input),
    ready: false,
    restartCount: Math.max(observed.restartCount, old?.restartCount ?? 0),
    image: observed.image,
    imageID: observed.imageRef,
    containerID,
    ...(volumeMounts.length > 0 && { volumeMounts }),
    ...reportedResources(container, observed, old?.containerID === containerID ? old : undefined),
    ...(user && { user: { linux: { ...user, supplementalGroups: [...user.supplementalGroups] } } }),
  };
  const last =
    old && old.containerID !== containerID && old.state?.terminated
      ? old.state.terminated
      : old?.lastState?.terminated;
  if (last) status.lastState = { terminated: last };
  if (observed.state === "running") {
    if (old?.started !== undefined) status.started = old.started;
    const over = old?.state?.terminated !== undefined && old.restartCount >= observed.restartCount;
    if (over) status.restartCount = old.restartCount + 1;
  }
  if (observed.state === "unknown" && old?.state?.running)
    status.restartCount = old.restartCount + 1;
  return status;
}

function stateOf(
  observed: ObservedContainer,
  old: ContainerStatus | undefined,
  input: ContainerStatusesInput,
): ContainerState {
  switch (observed.state) {
    case "running":
      return { running: { startedAt: formatTime(observed.startedAtMs) } };
    case "exited":
      return { terminated: terminatedState(observed, input.runtimeName) };
    case "unknown":
      if (!old?.state?.running) return { waiting: {} };
      return {
        terminated: {
          exitCode: 137,
          reason: input.restartingAll ? restartingAllReason : unknownReason,
          message: "The container could not be located when the pod was terminated",
        },
      };
    case "created":
      return { waiting: {} };
  }
}

function terminatedState(
  observed: ObservedContainer,
  runtimeName: string,
): ContainerStateTerminated {
  const { exitCode, reason, message, startedAtMs, finishedAtMs } = observed;
  return {
    exitCode,
    ...(reason && { reason }),
    ...(message && { message }),
    startedAt: formatTime(startedAtMs),
    finishedAt: formatTime(finishedAtMs),
    containerID: `${runtimeName}://${observed.id}`,
  };
}

function volumeMountStatuses(
  { volumeMounts = [] }: AnyContainer,
  supported: boolean,
): VolumeMountStatus[] {
  return volumeMounts.map(({ name, mountPath, readOnly, recursiveReadOnly }) => {
    if (!readOnly) return { name, mountPath };
    const isRequested = recursiveReadOnly === "Enabled" || recursiveReadOnly === "IfPossible";
    const mode = isRequested && supported ? "Enabled" : "Disabled";
    return { name, mountPath, readOnly, recursiveReadOnly: mode };
  });
}
