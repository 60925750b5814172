/** Upstream: pkg/kubelet/kubelet_pods.go (generateAPIPodStatus). */
import type { ContainerStatus, Pod, PodCondition, PodStatus } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { podRequests } from "#/machinery/pods/pod-resources.ts";
import { computeQOSClass } from "#/machinery/pods/qos.ts";
import { formatResourceList } from "#/machinery/values/resource-list.ts";
import type { ObservedPod } from "../state/observed-pod.ts";
import { isHostNetwork } from "../state/pod-containers.ts";
import { asksToRestartAll } from "../state/restart-policy.ts";
import { containerStatuses, type StartFailure } from "./container-statuses.ts";
import { computeConditions, isKubeletCondition } from "./pod-conditions.ts";
import { computePhase } from "./pod-phase.ts";

interface PodStatusInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  /** The kubelet's last status, which may not have reached the API server yet. */
  readonly old: PodStatus;
  /** No container will be started again. */
  readonly terminal: boolean;
  readonly isStatic: boolean;
  readonly hostIPs: readonly string[];
  readonly runtimeName: string;
  readonly recursiveReadOnly: boolean;
  readonly failureOf: (containerName: string) => StartFailure | undefined;
  /** Sets `ready` and `started`. */
  readonly applyProbes: (status: PodStatus) => PodStatus;
  /** PodResizePending and PodResizeInProgress. */
  readonly resizeConditions?: readonly PodCondition[];
  /** Overrides phase, reason and message: the pod has exceeded its deadline, or is evicted. */
  readonly failed?: { readonly reason: string; readonly message: string } | undefined;
}

/** The status of a pod, without the times of conditions. Pure. */
export function computePodStatus(input: PodStatusInput): PodStatus {
  const { pod, observed, old, terminal, isStatic } = input;
  const all = statusesBySort(input);
  const statuses = [...(all.containerStatuses ?? []), ...(all.initContainerStatuses ?? [])];
  const initialized = hasStarted(pod, observed);
  const computed = computePhase({ pod, statuses, terminal, initialized, isStatic });
  const base: PodStatus = {
    ...all,
    ...addresses(input),
    ...phaseAndReason(input, computed),
    qosClass: computeQOSClass(pod),
    ...levelResources(pod, old),
  };
  const probed = input.applyProbes(base);
  const foreign = (pod.status?.conditions ?? []).filter(({ type }) => !isKubeletCondition(type));
  const disruption = findCondition(old.conditions, "DisruptionTarget");
  const others = disruption
    ? [...foreign.filter(({ type }) => type !== "DisruptionTarget"), disruption]
    : foreign;
  const own = computeConditions({
    pod,
    observed,
    phase: probed.phase ?? "Pending",
    statuses: [...(probed.initContainerStatuses ?? []), ...(probed.containerStatuses ?? [])],
    old: old.conditions,
    foreign: others,
  });
  const conditions = [...others, ...(terminal ? [] : (input.resizeConditions ?? [])), ...own];
  const { generation } = pod.metadata;
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    ...probed,
    conditions,
  };
}

type Statuses = Pick<
  PodStatus,
  "containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses"
>;

function statusesBySort(input: PodStatusInput): Statuses {
  const { pod, observed, old } = input;
  const { spec } = pod;
  const shared = { ...input, restartingAll: asksToRestartAll(pod, observed, old) };
  const some = (previous: readonly ContainerStatus[] | undefined) => ({ previous: previous ?? [] });
  const init = containerStatuses({
    ...shared,
    ...some(old.initContainerStatuses),
    containers: spec.initContainers ?? [],
    init: true,
  });
  const ephemeral = containerStatuses({
    ...shared,
    ...some(old.ephemeralContainerStatuses),
    containers: spec.ephemeralContainers ?? [],
  });
  return {
    containerStatuses: containerStatuses({
      ...shared,
      ...some(old.containerStatuses),
      containers: spec.containers,
    }),
    ...(init.length > 0 && { initContainerStatuses: init }),
    ...(ephemeral.length > 0 && { ephemeralContainerStatuses: ephemeral }),
  };
}

/** Whether an ordinary container has been created in the current sandbox. */
function hasStarted(pod: Pod, { sandboxes, containers }: ObservedPod): boolean {
  const [newest] = sandboxes;
  return containers.some(
    ({ name, sandboxId }) =>
      newest?.ready &&
      sandboxId === newest.id &&
      pod.spec.containers.some((container) => container.name === name),
  );
}

const isOver = (phase: string | undefined): boolean => phase === "Failed" || phase === "Succeeded";

function phaseAndReason(
  { pod, old, failed }: PodStatusInput,
  computed: PodStatus["phase"],
): Pick<PodStatus, "phase" | "reason" | "message"> {
  const reported = pod.status?.phase;
  if (failed && !isOver(reported)) return { phase: "Failed", ...failed };
  let phase = computed;
  if (isOver(reported)) phase = reported;
  else if (!isOver(phase) && isOver(old.phase)) phase = old.phase;
  if (phase !== old.phase) return { ...(phase && { phase }) };
  const reason = old.reason || pod.status?.reason;
  const message = old.message || pod.status?.message;
  return { ...(phase && { phase }), ...(reason && { reason }), ...(message && { message }) };
}

function addresses({ pod, observed, old, hostIPs }: PodStatusInput): PodStatus {
  const [hostIP] = hostIPs;
  const host = hostIP ? { hostIP, hostIPs: hostIPs.map((ip) => ({ ip })) } : {};
  let ips = orderByFamily(observed.ips, hostIPs);
  if (isHostNetwork(pod) && ips.length === 0) ips = old.podIPs?.map(({ ip }) => ip) ?? [...hostIPs];
  const [podIP] = ips;
  return { ...host, ...(podIP && { podIP, podIPs: ips.map((ip) => ({ ip })) }) };
}

/** The family that the node prefers comes first. */
function orderByFamily(ips: readonly string[], hostIPs: readonly string[]): string[] {
  const prefersV6 = hostIPs[0]?.includes(":") ?? false;
  const first = ips.find((ip) => ip.includes(":") === prefersV6);
  if (first === undefined) return [...ips];
  return [first, ...ips.filter((ip) => ip !== first)];
}

function levelResources(
  pod: Pod,
  old: PodStatus,
): Pick<PodStatus, "resources" | "allocatedResources"> {
  const allocatedResources = formatResourceList(podRequests(pod));
  const resources = pod.spec.resources ?? old.resources;
  return {
    ...(Object.keys(allocatedResources).length > 0 && { allocatedResources }),
    ...(resources && { resources }),
  };
}
