/** Upstream: pkg/kubelet/allocation/allocation_manager.go, pkg/kubelet/kuberuntime/kuberuntime_manager.go. */
import type { Container, Pod, PodCondition, ResourceRequirements } from "#/api/core/v1.ts";
import { podRequests } from "#/machinery/pods/pod-resources.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { parseResourceList } from "#/machinery/values/resource-list.ts";
import { rpcText } from "../images/image-puller.ts";
import { findObserved, type PodActions } from "../plan/pod-actions.ts";
import type { ObservedContainer, ObservedPod } from "../state/observed-pod.ts";
import { findContainer } from "../state/pod-containers.ts";
import type { NodeAccess, PodCgroups } from "../state/pod-services.ts";
import { admitToNode } from "./admission/node-admission.ts";
import type { PodResize } from "./pod-lifecycle.ts";
import type { RuntimeContext } from "./runtime-context.ts";
import type { RuntimeWatch } from "./runtime-watch.ts";

interface PodResizingOptions {
  readonly context: RuntimeContext;
  readonly cgroups: PodCgroups;
  readonly watch: RuntimeWatch;
  readonly node: Pick<NodeAccess, "node">;
}

/** The state of one pod's resources. */
interface Allocation {
  /** The granted resources, by container; the pod's own under "". */
  granted: Map<string, ResourceRequirements | undefined>;
  pending?: PodCondition | undefined;
  inProgress?: PodCondition | undefined;
}

/** Changes of resources while pods run: granted if the node has room, then applied container by container. */
export class PodResizing implements PodResize {
  readonly #options: PodResizingOptions;
  readonly #allocations = new Map<string, Allocation>();
  /** Resources that were last sent to the runtime, by pod and container id: it may report other numbers for them. */
  readonly #sent = new Map<string, Map<string, string>>();

  constructor(options: PodResizingOptions) {
    this.#options = options;
  }

  /** The pod with the granted resources: those it requests, if there is room beside the others. */
  allocate(pod: Pod, others: readonly Pod[]): Pod {
    const uid = pod.metadata.uid ?? "";
    const known = this.#allocations.get(uid) ?? { granted: grantedBefore(pod) };
    this.#allocations.set(uid, known);
    if (isGranted(pod, known)) {
      known.pending = undefined;
      return pod;
    }
    const refusal = this.#refusal(pod, others);
    if (!refusal) {
      known.granted = resourcesOf(pod);
      known.pending = undefined;
      known.inProgress = this.#condition(pod, "PodResizeInProgress");
      this.#recordEvent(pod, "Normal", "ResizeStarted", "Pod resize started");
      return pod;
    }
    const { reason, message } = refusal;
    if (known.pending?.reason !== reason || known.pending.message !== message) {
      known.pending = this.#condition(pod, "PodResizePending", reason, message);
      this.#recordEvent(pod, "Warning", `Resize${reason}`, `Pod resize ${reason}`, message);
    }
    return withResources(pod, known.granted);
  }

  /** Whether a pod waits for room. */
  isDeferred(uid: string): boolean {
    return this.#allocations.get(uid)?.pending?.reason === "Deferred";
  }

  conditions({ metadata }: Pod): PodCondition[] {
    const { pending, inProgress } = this.#allocations.get(metadata.uid ?? "") ?? {};
    return [pending, inProgress].filter((condition) => condition !== undefined);
  }

  forget(podUID: string): void {
    this.#allocations.delete(podUID);
    this.#sent.delete(podUID);
  }

  restarts(pod: Pod, name: string, observed: ObservedContainer): boolean {
    const container = findContainer(pod, name);
    const changed = container && this.#change(pod, container as Container, observed);
    if (!changed) return false;
    const policies = container.resizePolicy ?? [];
    return policies.some(
      ({ resourceName, restartPolicy }) =>
        restartPolicy === "RestartContainer" &&
        ((resourceName === "cpu" && changed.cpu) || (resourceName === "memory" && changed.memory)),
    );
  }

  async apply(pod: Pod, observed: ObservedPod, { keep }: PodActions): Promise<boolean> {
    const uid = pod.metadata.uid ?? "";
    const allocation = this.#allocations.get(uid);
    const changes = keep.flatMap((name) => {
      const container = findContainer(pod, name) as Container | undefined;
      const found = findObserved(observed, name);
      if (!container || found?.state !== "running") return [];
      const change = this.#change(pod, container, found);
      return change ? [{ container, found, change }] : [];
    });
    try {
      for (const { container, found, change } of changes) {
        if (change.lowers) await this.#update(pod, container, found);
      }
      await this.#options.cgroups.ensure(pod);
      for (const { container, found, change } of changes) {
        if (!change.lowers) await this.#update(pod, container, found);
      }
    } catch (error) {
      this.#failed(pod, allocation, rpcText(error));
      throw error;
    }
    // An older version of the pod has no effect on resources that were granted meanwhile.
    const isLast = changes.length === 0;
    if (!isLast || !allocation?.inProgress || !isGranted(pod, allocation)) return !isLast;
    allocation.inProgress = undefined;
    this.#recordEvent(pod, "Normal", "ResizeCompleted", "Pod resize completed");
    return true;
  }

  async #update(pod: Pod, container: Container, { id }: ObservedContainer): Promise<void> {
    const { cri, cgroups } = this.#options.context;
    const linux = cgroups.containerResources(pod, container);
    await cri.runtime.UpdateContainerResources({ containerId: id, linux });
    const uid = pod.metadata.uid ?? "";
    const sent = this.#sent.get(uid) ?? new Map<string, string>();
    this.#sent.set(uid, sent.set(id, JSON.stringify(linux)));
  }

  #failed(pod: Pod, allocation: Allocation | undefined, message: string): void {
    if (!allocation?.inProgress || allocation.inProgress.message === message) return;
    allocation.inProgress = this.#condition(pod, "PodResizeInProgress", "Error", message);
    this.#recordEvent(pod, "Warning", "ResizeError", "Pod resize error", message);
  }

  /**
   * How the resources in force differ from the granted ones; undefined if they don't, or the runtime doesn't report
   * them.
   */
  #change(pod: Pod, container: Container, { id, resources: actual }: ObservedContainer) {
    if (!actual) return undefined;
    const desired = this.#options.context.cgroups.containerResources(pod, container);
    const sent = this.#sent.get(pod.metadata.uid ?? "")?.get(id);
    if (sent === JSON.stringify(desired)) return undefined;
    const quota = (one: typeof desired): number => Math.max(0, one.cpuQuota ?? 0);
    const cpu =
      (desired.cpuShares ?? 0) !== (actual.cpuShares ?? 0) || quota(desired) !== quota(actual);
    const memory = (desired.memoryLimitInBytes ?? 0) !== (actual.memoryLimitInBytes ?? 0);
    if (!cpu && !memory) return undefined;
    const unlimited = Number.POSITIVE_INFINITY;
    const lowers =
      (quota(desired) || unlimited) < (quota(actual) || unlimited) ||
      (desired.memoryLimitInBytes || unlimited) < (actual.memoryLimitInBytes || unlimited);
    return { cpu, memory, lowers };
  }

  #refusal(pod: Pod, others: readonly Pod[]): { reason: string; message: string } | undefined {
    const node = this.#options.node.node();
    const allocatable = parseResourceList(node.status?.allocatable);
    for (const [name, quantity] of podRequests(pod)) {
      const capacity = allocatable.get(name);
      if (!capacity || quantity.compare(capacity) <= 0) continue;
      const unit = (one: typeof capacity) => (name === "cpu" ? one.milliValue() : one.value());
      const message = `Node didn't have enough capacity: ${name}, requested: ${unit(quantity)}, capacity: ${unit(capacity)}`;
      return { reason: "Infeasible", message };
    }
    const admission = admitToNode(pod, node, others);
    if (admission.admitted) return undefined;
    return { reason: "Deferred", message: admission.message };
  }

  #condition(
    { metadata }: Pod,
    type: PodCondition["type"],
    reason?: string,
    message?: string,
  ): PodCondition {
    const now = formatTime(this.#options.context.clock.now());
    return {
      type,
      status: "True",
      lastProbeTime: now,
      lastTransitionTime: now,
      ...(metadata.generation && { observedGeneration: metadata.generation }),
      ...(reason && { reason }),
      ...(message && { message }),
    };
  }

  #recordEvent(
    pod: Pod,
    type: "Normal" | "Warning",
    reason: string,
    prefix: string,
    error = "",
  ): void {
    const summary = (containers: readonly Container[] | undefined) =>
      containers?.map(({ name, resources }) => ({ name, resources: resources ?? {} }));
    const initContainers = summary(pod.spec.initContainers);
    const text = JSON.stringify({
      ...(initContainers?.length && { initContainers }),
      containers: summary(pod.spec.containers),
      generation: pod.metadata.generation ?? 0,
      ...(error && { error }),
    });
    this.#options.context.events.record(pod, { type, reason, message: `${prefix}: ${text}` });
  }
}

function resourcesOf({ spec }: Pod): Map<string, ResourceRequirements | undefined> {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return new Map([
    ["", spec.resources],
    ...containers.map((one) => [one.name, one.resources] as const),
  ]);
}

/** The resources that a running pod was granted before this kubelet started, by its status; else those it requests. */
function grantedBefore(pod: Pod): Map<string, ResourceRequirements | undefined> {
  const granted = resourcesOf(pod);
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  for (const status of [...initContainerStatuses, ...containerStatuses]) {
    const { name, allocatedResources: requests, resources } = status;
    if (!status.state?.running || !resources || !granted.has(name)) continue;
    const { limits } = resources;
    const { requests: _requests, limits: _limits, ...rest } = granted.get(name) ?? {};
    granted.set(name, { ...(limits && { limits }), ...(requests && { requests }), ...rest });
  }
  return granted;
}

function isGranted(pod: Pod, { granted }: Allocation): boolean {
  return [...resourcesOf(pod)].every(([name, resources]) => isSame(granted.get(name), resources));
}

/** Whether two lists mean the same amounts, in whatever notation. */
function isSame(a: ResourceRequirements = {}, b: ResourceRequirements = {}): boolean {
  return (["requests", "limits"] as const).every((which) => {
    const [one, other] = [parseResourceList(a[which]), parseResourceList(b[which])];
    if (one.size !== other.size) return false;
    return [...one].every(([name, quantity]) => other.get(name)?.equals(quantity));
  });
}

function withResources(pod: Pod, granted: Allocation["granted"]): Pod {
  const replace = (container: Container): Container => {
    const { resources: _, ...rest } = container;
    const resources = granted.get(container.name);
    return { ...rest, ...(resources && { resources }) };
  };
  const { resources: _, ...spec } = pod.spec;
  const own = granted.get("");
  return {
    ...pod,
    spec: {
      ...spec,
      ...(own && { resources: own }),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(replace) }),
      containers: spec.containers.map(replace),
    },
  };
}
