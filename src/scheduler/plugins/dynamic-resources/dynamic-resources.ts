import type { Pod } from "#/api/core/v1.ts";
import {
  type AllocationResult,
  deviceClasses,
  type ResourceClaim,
  resourceClaims,
  resourceSlices,
} from "#/api/resource/v1.ts";
import { compileNodeSelector } from "#/machinery/node-affinity.ts";
import type { NodeInfo } from "../../cache/node-info.ts";
import { action, interest } from "../../framework/cluster-event.ts";
import type { PluginContext } from "../../framework/context.ts";
import type { Plugin } from "../../framework/plugin.ts";
import { type Rejection, rejectForGood } from "../../framework/rejection.ts";
import { type AllocationView, allocateDevices } from "./allocate-devices.ts";
import { bindClaim, deallocateClaim } from "./bind-claim.ts";
import { deviceId, gatherPools } from "./device-pools.ts";
import { ClaimProblem, canBeReserved, claimsOfPod, isReservedFor } from "./pod-claims.ts";

const name = "DynamicResources";
const cannotAllocate = rejectForGood(name, "cannot allocate all claims");
const notOnNode = rejectForGood(name, "resourceclaim not available on the node");

/** What the plugin remembers of a pod from one extension point to the next. */
interface Memory {
  readonly claims: readonly ResourceClaim[];
  /** Those that have no devices yet. */
  readonly open: readonly ResourceClaim[];
  readonly byNode: Map<string, readonly AllocationResult[]>;
  /** Claims whose devices some node can't use. */
  readonly unavailable: Set<ResourceClaim>;
}

/**
 * Finds devices for the claims of a pod, and reserves the claims for it.
 *
 * Upstream: kubernetes/pkg/scheduler/framework/plugins/dynamicresources.
 */
export function dynamicResources(context: PluginContext): Plugin {
  const claimLister = context.lister(resourceClaims);
  const classLister = context.lister(deviceClasses);
  const sliceLister = context.lister(resourceSlices);
  /** Allocations that were decided here and not yet heard back, by UID of the claim. */
  const inFlight = new Map<string, AllocationResult>();
  const findClass = (className: string) => classLister.get(undefined, className);

  const view = (): AllocationView => ({
    pools: gatherPools(sliceLister.list()),
    taken: takenDevices(claimLister.list(), inFlight),
    findClass,
  });

  return {
    name,
    requeueOn: [
      interest("Node", action.Add | action.UpdateNodeLabel | action.UpdateNodeAllocatable),
      interest<Pod, ResourceClaim>(
        "resource.k8s.io/ResourceClaim",
        action.Add | action.Update | action.Delete,
        (pod, before, after) => claimHelps(pod, before, after),
      ),
      interest("TargetPod", action.UpdatePodGeneratedResourceClaim),
      interest("resource.k8s.io/DeviceClass", action.Add | action.Update),
      interest("resource.k8s.io/ResourceSlice", action.Add | action.Update),
    ],
    preEnqueue(pod) {
      if (!pod.spec.resourceClaims?.length) return undefined;
      const problem = problemOf(() => claimsOfPod(pod, claimLister));
      return problem === undefined ? undefined : rejectForGood(name, problem);
    },
    filter(cycle) {
      const { pod } = cycle.pod;
      let claims: readonly ResourceClaim[] = [];
      const problem = problemOf(() => {
        claims = claimsOfPod(pod, claimLister);
      });
      const open = claims.filter(({ status }) => !status?.allocation);
      const memory: Memory = { claims, open, byNode: new Map(), unavailable: new Set() };
      cycle.remember(name, memory);
      if (problem !== undefined) return rejectForGood(name, problem);
      if (claims.length === 0) return undefined;
      const refusal = whyNotNow(pod, memory, inFlight, findClass);
      if (refusal) return refusal;
      const selectors = claims.map(({ status }) => {
        const selector = status?.allocation?.nodeSelector;
        return selector && compileNodeSelector(selector);
      });
      const seen = open.length > 0 ? view() : undefined;
      return {
        check(node) {
          for (const [index, claim] of claims.entries()) {
            if (selectors[index]?.matches(node.node) === false) memory.unavailable.add(claim);
          }
          const fits = seen === undefined || allocate(node, memory, seen);
          if (!fits) return cannotAllocate;
          return selectors.some((one) => one?.matches(node.node) === false) ? notOnNode : undefined;
        },
      };
    },
    async postFilter(cycle) {
      const memory = cycle.recall<Memory>(name);
      // Another plugin refused the pod before this one was asked; upstream says so in these words.
      if (memory === undefined) throw new Error("not found");
      const { uid } = cycle.pod;
      const idle = [...memory.unavailable].find(({ status }) => {
        return (status?.reservedFor ?? []).every((one) => one.uid === uid);
      });
      if (idle === undefined) return { success: false, message: "" };
      await deallocateClaim(context.client, idle);
      return { success: false, message: "deallocation of ResourceClaim completed" };
    },
    reserve(cycle, nodeName) {
      const memory = cycle.recall<Memory>(name);
      const results = memory?.byNode.get(nodeName);
      memory?.open.forEach(({ metadata }, index) => {
        const result = results?.[index];
        if (result) inFlight.set(metadata.uid ?? "", result);
      });
      return undefined;
    },
    unreserve(cycle) {
      for (const { metadata } of cycle.recall<Memory>(name)?.open ?? []) {
        inFlight.delete(metadata.uid ?? "");
      }
    },
    needsPreBind(cycle) {
      const { uid } = cycle.pod;
      const claims = cycle.recall<Memory>(name)?.claims ?? [];
      return claims.some((claim) => !claim.status?.allocation || !isReservedFor(claim, uid));
    },
    async preBind(cycle) {
      const { pod, uid } = cycle.pod;
      for (const claim of cycle.recall<Memory>(name)?.claims ?? []) {
        const claimUid = claim.metadata.uid ?? "";
        const allocation = inFlight.get(claimUid);
        if (!allocation && isReservedFor(claim, uid)) continue;
        await bindClaim(context.client, claim, pod, allocation);
      }
      return undefined;
    },
    postBind(cycle) {
      for (const { metadata } of cycle.recall<Memory>(name)?.open ?? []) {
        inFlight.delete(metadata.uid ?? "");
      }
    },
  };
}

function allocate(node: NodeInfo, memory: Memory, view: AllocationView): boolean {
  const results = allocateDevices(memory.open, node.node, view);
  if (results) memory.byNode.set(node.name, results);
  return results !== undefined;
}

/** Why the claims of a pod can't be met, whatever the node. */
function whyNotNow(
  { metadata: { uid = "" } }: Pod,
  { claims }: Memory,
  inFlight: ReadonlyMap<string, AllocationResult>,
  findClass: AllocationView["findClass"],
): Rejection | undefined {
  for (const claim of claims) {
    const { namespace = "", name: claimName = "", uid: claimUid = "" } = claim.metadata;
    if (claim.status?.allocation) {
      if (!isReservedFor(claim, uid) && !canBeReserved(claim)) {
        return rejectForGood(name, "resourceclaim in use");
      }
      continue;
    }
    if (inFlight.has(claimUid)) {
      const text = `resource claim ${namespace}/${claimName} is in the process of being allocated`;
      return rejectForGood(name, text);
    }
    for (const { name: request, exactly, firstAvailable = [] } of claim.spec.devices.requests ??
      []) {
      const missing = (exactly ? [exactly] : firstAvailable)
        .map(({ deviceClassName }) => deviceClassName)
        .find((className) => findClass(className) === undefined);
      if (missing !== undefined) {
        const text = `request ${request}: device class ${missing} does not exist`;
        return rejectForGood(name, text);
      }
    }
  }
  return undefined;
}

/** Devices that claims have, whether written or only decided; administrators' access takes none. */
function takenDevices(
  claims: readonly ResourceClaim[],
  inFlight: ReadonlyMap<string, AllocationResult>,
): ReadonlySet<string> {
  const taken = new Set<string>();
  const take = (allocation: AllocationResult | undefined): void => {
    for (const result of allocation?.devices?.results ?? []) {
      if (!result.adminAccess) taken.add(deviceId(result.driver, result.pool, result.device));
    }
  };
  for (const { status } of claims) take(status?.allocation);
  for (const allocation of inFlight.values()) take(allocation);
  return taken;
}

/** Freed devices help every pod; other changes of a claim only those that use it. */
function claimHelps(
  pod: Pod,
  before: ResourceClaim | undefined,
  after: ResourceClaim | undefined,
): boolean {
  if (before?.status?.allocation && !after?.status?.allocation) return true;
  if (!after || after.metadata.namespace !== pod.metadata.namespace) return false;
  const claimName = after.metadata.name;
  const generated = pod.status?.resourceClaimStatuses ?? [];
  return [...(pod.spec.resourceClaims ?? []), ...generated].some((one) => {
    return one.resourceClaimName === claimName;
  });
}

function problemOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof ClaimProblem) return error.message;
    throw error;
  }
}
