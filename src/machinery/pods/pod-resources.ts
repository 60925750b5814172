import type { Container, ContainerStatus, Pod, ResourceRequirements } from "#/api/core/v1.ts";
import { parseQuantity, type Quantity } from "../values/quantity.ts";
import {
  addResources,
  parseResourceList,
  type ResourceList,
  raiseResources,
} from "../values/resource-list.ts";

/** Options for the sum of a pod's resources. */
export interface PodResourcesOptions {
  /** Include the resources that the kubelet reports (in-place resize). */
  readonly useStatus?: boolean;
  /**
   * Use the pod-level resources in the status if present (in-place resize of pod-level resources).
   */
  readonly usePodLevelStatus?: boolean;
  readonly excludeOverhead?: boolean;
  /** Defaults for containers without requests; for requests only. */
  readonly missingRequests?: ResourceList;
  readonly skipPodLevel?: boolean;
  readonly skipContainers?: boolean;
  /** Include node resources that devices of resource claims use. */
  readonly useClaimStatus?: boolean;
}

type Which = "requests" | "limits";
type PodLike = Pick<Pod, "spec" | "status">;

/**
 * The total requests of a pod: the sum of its containers or the maximum during initialization,
 * replaced by pod-level resources, plus overhead.
 *
 * Upstream: staging/src/k8s.io/component-helpers/resource/helpers.go.
 */
export function podRequests(pod: PodLike, options: PodResourcesOptions = {}): ResourceList {
  const requests: ResourceList = options.skipContainers
    ? new Map()
    : containerRequests(pod, options);
  if (!options.skipPodLevel && hasPodLevel(pod, ["requests"])) {
    applyPodLevel(requests, podLevelAmounts(pod, "requests", options));
  }
  if (!options.excludeOverhead) addResources(requests, parseResourceList(pod.spec.overhead));
  return requests;
}

/** The total limits of a pod; overhead is added to existing limits. */
export function podLimits(pod: PodLike, options: PodResourcesOptions = {}): ResourceList {
  const limits = containerLimits(pod, options);
  if (!options.skipPodLevel && hasPodLevel(pod, ["requests", "limits"])) {
    applyPodLevel(limits, podLevelAmounts(pod, "limits", options));
  }
  if (options.excludeOverhead) return limits;
  for (const [name, quantity] of parseResourceList(pod.spec.overhead)) {
    const limit = limits.get(name);
    if (limit !== undefined && !limit.isZero) limits.set(name, limit.add(quantity));
  }
  return limits;
}

/** Whether a resource can be set at the pod level. */
export function isPodLevelResource(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

/** Whether a pod has pod-level requests or limits of a supported resource. */
export function hasPodLevel(
  { spec }: Pick<Pod, "spec">,
  which: readonly Which[] = ["requests", "limits"],
): boolean {
  return which.some((one) => Object.keys(spec.resources?.[one] ?? {}).some(isPodLevelResource));
}

/** Whether the node reported that the requested resize is infeasible. */
function isResizeInfeasible({ status }: PodLike): boolean {
  const pending = status?.conditions?.find(({ type }) => type === "PodResizePending");
  return pending?.reason === "Infeasible";
}

function applyPodLevel(list: ResourceList, amounts: ResourceList): void {
  for (const [name, quantity] of amounts) {
    if (isPodLevelResource(name)) list.set(name, quantity);
  }
}

function podLevelAmounts(pod: PodLike, which: Which, options: PodResourcesOptions): ResourceList {
  const spec = parseResourceList(pod.spec.resources?.[which]);
  const status = pod.status?.resources;
  if (!options.usePodLevelStatus || !options.useStatus || status === undefined) return spec;
  const amounts = isResizeInfeasible(pod) ? new Map<string, Quantity>() : spec;
  raiseResources(amounts, parseResourceList(status[which]));
  if (which === "requests") {
    raiseResources(amounts, parseResourceList(pod.status?.allocatedResources));
  }
  return amounts;
}

/** The effective resources of a container, given the kubelet's report. */
type ContainerAmounts = (
  container: Container,
  status: ContainerStatus | undefined,
  infeasible: boolean,
) => ResourceRequirements["requests"];

const specRequests: ContainerAmounts = ({ resources }) => resources?.requests;
const specLimits: ContainerAmounts = ({ resources }) => resources?.limits;
const allocatedRequests: ContainerAmounts = (container, status, infeasible) =>
  status?.allocatedResources ?? (infeasible ? undefined : container.resources?.requests);
const actualRequests: ContainerAmounts = (container, status, infeasible) =>
  status?.resources?.requests ?? allocatedRequests(container, status, infeasible);
const actualLimits: ContainerAmounts = (container, status, infeasible) =>
  status?.resources?.limits ?? (infeasible ? undefined : container.resources?.limits);

/** The sum of the containers' requests, without pod-level resources and overhead. */
export function containerRequests(pod: PodLike, options: PodResourcesOptions = {}): ResourceList {
  const spec = aggregate(pod, specRequests, options);
  addResources(spec, claimAmounts(pod, options));
  if (!options.useStatus) return spec;
  const requests = isResizeInfeasible(pod) ? new Map<string, Quantity>() : spec;
  const { allocatedResources, resources } = pod.status ?? {};
  if (options.usePodLevelStatus && allocatedResources && resources?.requests) {
    raiseResources(requests, parseResourceList(resources.requests));
    raiseResources(requests, parseResourceList(allocatedResources));
    return requests;
  }
  const allocated = aggregate(pod, allocatedRequests, options);
  addResources(allocated, claimAmounts(pod, options));
  raiseResources(requests, aggregate(pod, actualRequests, options));
  raiseResources(requests, allocated);
  return requests;
}

/** The sum of the containers' limits, without pod-level resources and overhead. */
export function containerLimits(pod: PodLike, given: PodResourcesOptions = {}): ResourceList {
  const { missingRequests: _, ...options } = given;
  const spec = aggregate(pod, specLimits, options);
  for (const [name, quantity] of claimAmounts(pod, options)) {
    const limit = spec.get(name);
    if (limit === undefined && !name.startsWith("hugepages-")) continue;
    spec.set(name, limit?.add(quantity) ?? quantity);
  }
  if (!options.useStatus) return spec;
  const limits = isResizeInfeasible(pod) ? new Map<string, Quantity>() : spec;
  const podLevel = options.usePodLevelStatus ? pod.status?.resources?.limits : undefined;
  raiseResources(
    limits,
    podLevel ? parseResourceList(podLevel) : aggregate(pod, actualLimits, options),
  );
  return limits;
}

/**
 * Containers run in parallel; init containers run one after another, in parallel to the sidecars
 * started before them.
 */
function aggregate(
  pod: PodLike,
  amounts: ContainerAmounts,
  options: PodResourcesOptions,
): ResourceList {
  const infeasible = options.useStatus === true && isResizeInfeasible(pod);
  const of = (container: Container): ResourceList => {
    const status = options.useStatus ? findStatus(pod, container.name) : undefined;
    const list = parseResourceList(amounts(container, status, infeasible));
    for (const [name, quantity] of options.missingRequests ?? []) {
      if (!list.has(name)) list.set(name, quantity);
    }
    return list;
  };
  const total: ResourceList = new Map();
  for (const container of pod.spec.containers ?? []) addResources(total, of(container));

  const sidecars: ResourceList = new Map();
  const peak: ResourceList = new Map();
  for (const container of pod.spec.initContainers ?? []) {
    const own = of(container);
    if (container.restartPolicy === "Always") {
      addResources(total, own);
      addResources(sidecars, own);
      raiseResources(peak, sidecars);
    } else {
      addResources(own, sidecars);
      raiseResources(peak, own);
    }
  }
  raiseResources(total, peak);
  return total;
}

function findStatus({ status }: PodLike, name: string): ContainerStatus | undefined {
  const named = (one: ContainerStatus): boolean => one.name === name;
  return status?.containerStatuses?.find(named) ?? status?.initContainerStatuses?.find(named);
}

/** The node's own resources that devices of resource claims use. */
function claimAmounts(pod: PodLike, { useClaimStatus }: PodResourcesOptions): ResourceList {
  const list: ResourceList = new Map();
  if (!useClaimStatus) return list;
  for (const claim of pod.status?.nodeAllocatableResourceClaimStatuses ?? []) {
    for (const { name, quantity } of claim.mapping ?? []) {
      addResources(list, new Map([[name, parseQuantity(quantity)]]));
    }
    for (const { name, perPod = "0", perContainer = "0" } of claim.overhead ?? []) {
      const containers = claim.containers?.length ?? 0;
      const overhead = parseQuantity(perPod).add(parseQuantity(perContainer).mul(containers));
      addResources(list, new Map([[name, overhead]]));
    }
  }
  return list;
}
