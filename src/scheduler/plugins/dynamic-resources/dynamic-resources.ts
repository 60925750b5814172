import type { Pod } from "#/api/core/v1.ts";
import {
  type AllocationResult,
  type DeviceClass,
  deviceClasses,
  type ResourceClaim,
  type ResourceSlice,
  resourceClaims,
  resourceSlices,
} from "#/api/resource/v1.ts";
import type { Client } from "#/client/client.ts";
import { type FieldError, invalid } from "#/machinery/meta/field-error.ts";
import { compileNodeSelector } from "#/machinery/pods/node-affinity.ts";
import { parseDuration } from "#/std/go/duration.ts";
import type { NodeInfo } from "../../cache/node-info.ts";
import type { ArgumentRules } from "../../config/plugin-settings.ts";
import { action, interest } from "../../framework/cluster-event.ts";
import type { Lister, PluginContext } from "../../framework/context.ts";
import type { Cycle } from "../../framework/cycle.ts";
import type { NodeFilter, PostFilterResult } from "../../framework/plugin.ts";
import { type Rejection, rejectForGood } from "../../framework/rejection.ts";
import type {
  MakingOptions,
  PluginDeclaration,
  PluginMethods,
} from "../shared/plugin-declaration.ts";
import { type AllocationView, allocateDevices } from "./allocate-devices.ts";
import { bindClaim, deallocateClaim } from "./bind-claim.ts";
import { deviceId, gatherPools } from "./device-pools.ts";
import { ClaimProblem, canBeReserved, claimsOfPod, isReservedFor } from "./pod-claims.ts";

const name = "DynamicResources";
const cannotAllocate = rejectForGood(name, "cannot allocate all claims");
const notOnNode = rejectForGood(name, "resourceclaim not available on the node");

/** State of a pod from one extension point to the next. */
interface Memory {
  readonly claims: readonly ResourceClaim[];
  /** Claims without an allocation. */
  readonly open: readonly ResourceClaim[];
  readonly byNode: Map<string, readonly AllocationResult[]>;
  /** Claims whose devices some node can't use. */
  readonly unavailable: Set<ResourceClaim>;
}

/** Durations as Go writes them. */
interface DynamicResourcesArgs {
  readonly filterTimeout?: string;
  readonly bindingTimeout?: string;
}

const args: ArgumentRules<DynamicResourcesArgs> = {
  complete: (given) => ({
    ...given,
    filterTimeout: given.filterTimeout ?? "10s",
    bindingTimeout: given.bindingTimeout ?? "10m0s",
  }),
  validate({ filterTimeout = "0s", bindingTimeout = "1s" }, path) {
    const errors: FieldError[] = [];
    if (parseDuration(filterTimeout) < 0) {
      errors.push(invalid(path.child("filterTimeout"), filterTimeout, "must be zero or positive"));
    }
    if (parseDuration(bindingTimeout) < 1_000) {
      const at = path.child("bindingTimeout");
      errors.push(invalid(at, bindingTimeout, "must be at least 1 second"));
    }
    return errors;
  },
};

/**
 * Allocates devices for the claims of a pod, and reserves the claims for it.
 *
 * Upstream: pkg/scheduler/framework/plugins/dynamicresources.
 */
export const dynamicResources: PluginDeclaration<DynamicResourcesArgs> = {
  name,
  weight: 2,
  args,
  make,
};

function make(_args: DynamicResourcesArgs, { context }: MakingOptions): PluginMethods {
  const desk = new DeviceDesk(context);
  return {
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
    preEnqueue: (pod) => (pod.spec.resourceClaims?.length ? desk.whyNotYet(pod) : undefined),
    filter: (cycle) => desk.prepare(cycle),
    postFilter: (cycle) => desk.freeIdleClaim(cycle),
    reserve(cycle, nodeName) {
      desk.reserve(cycle, nodeName);
      return undefined;
    },
    unreserve: (cycle) => desk.forget(cycle),
    needsPreBind: (cycle) =>
      desk.claimsOf(cycle).some((claim) => {
        return !claim.status?.allocation || !isReservedFor(claim, cycle.pod.uid);
      }),
    preBind: (cycle) => desk.bind(cycle),
  };
}

/** Tracks free devices and assumed allocations. */
class DeviceDesk {
  readonly #client: Client;
  readonly #claims: Lister<ResourceClaim>;
  readonly #classes: Lister<DeviceClass>;
  readonly #slices: Lister<ResourceSlice>;
  /** Allocations that were decided here and not yet observed, by UID of the claim. */
  readonly #inFlight = new Map<string, AllocationResult>();

  constructor({ client, lister }: PluginContext) {
    this.#client = client;
    this.#claims = lister(resourceClaims);
    this.#classes = lister(deviceClasses);
    this.#slices = lister(resourceSlices);
  }

  /** Why a pod can't be scheduled: its claims are missing, or belong to another pod. */
  whyNotYet(pod: Pod): Rejection | undefined {
    const problem = problemOf(() => claimsOfPod(pod, this.#claims));
    return problem === undefined ? undefined : rejectForGood(name, problem);
  }

  claimsOf(cycle: Pick<Cycle, "recall">): readonly ResourceClaim[] {
    return cycle.recall<Memory>(name)?.claims ?? [];
  }

  prepare(cycle: Cycle): NodeFilter | Rejection | undefined {
    const { pod } = cycle.pod;
    if (pod.spec.resourceClaims?.length) this.#settle();
    const refusal = this.whyNotYet(pod);
    const claims = refusal ? [] : claimsOfPod(pod, this.#claims);
    const open = claims.filter(({ status }) => !status?.allocation);
    const memory: Memory = { claims, open, byNode: new Map(), unavailable: new Set() };
    cycle.remember(name, memory);
    if (refusal || claims.length === 0) return refusal;
    const findClass = (className: string) => this.#classes.get(undefined, className);
    const unmet = whyNotNow(pod, memory, this.#inFlight, findClass);
    if (unmet) return unmet;
    if (open.length === 0) return { check: (node) => checkAllocated(node, memory) };
    const view = {
      pools: gatherPools(this.#slices.list()),
      taken: takenDevices(this.#claims.list(), this.#inFlight),
      findClass,
    };
    return {
      check: (node) =>
        allocate(node, memory, view) ? checkAllocated(node, memory) : cannotAllocate,
    };
  }

  /** Deallocates a claim that no other pod uses and that keeps the pod off some node. */
  async freeIdleClaim(cycle: Cycle): Promise<PostFilterResult> {
    const memory = cycle.recall<Memory>(name);
    // Another plugin rejected the pod before this one was called; the message is upstream's.
    if (memory === undefined) throw new Error("not found");
    const { uid } = cycle.pod;
    const idle = [...memory.unavailable].find(({ status }) => {
      return (status?.reservedFor ?? []).every((one) => one.uid === uid);
    });
    if (idle === undefined) return { success: false, message: "" };
    await deallocateClaim(this.#client, idle);
    return { success: false, message: "deallocation of ResourceClaim completed" };
  }

  reserve(cycle: Cycle, nodeName: string): void {
    const memory = cycle.recall<Memory>(name);
    const results = memory?.byNode.get(nodeName);
    memory?.open.forEach(({ metadata }, index) => {
      const result = results?.[index];
      if (result) this.#inFlight.set(metadata.uid ?? "", result);
    });
  }

  forget(cycle: Cycle): void {
    for (const { metadata } of cycle.recall<Memory>(name)?.open ?? []) {
      this.#inFlight.delete(metadata.uid ?? "");
    }
  }

  /** Drops assumed allocations that the informer has received in the meantime. */
  #settle(): void {
    if (this.#inFlight.size === 0) return;
    for (const { metadata, status } of this.#claims.list()) {
      if (status?.allocation) this.#inFlight.delete(metadata.uid ?? "");
    }
  }

  async bind(cycle: Cycle): Promise<undefined> {
    const { pod, uid } = cycle.pod;
    for (const claim of this.claimsOf(cycle)) {
      const allocation = this.#inFlight.get(claim.metadata.uid ?? "");
      if (!allocation && isReservedFor(claim, uid)) continue;
      await bindClaim(this.#client, claim, pod, allocation);
    }
  }
}

/** True if a node can use the devices that claims have already; records the claims whose devices it can't use. */
function checkAllocated(
  { node }: NodeInfo,
  { claims, unavailable }: Memory,
): Rejection | undefined {
  let refusal: Rejection | undefined;
  for (const claim of claims) {
    const selector = claim.status?.allocation?.nodeSelector;
    if (!selector || compileNodeSelector(selector).matches(node)) continue;
    unavailable.add(claim);
    refusal = notOnNode;
  }
  return refusal;
}

function allocate(node: NodeInfo, memory: Memory, view: AllocationView): boolean {
  const results = allocateDevices(memory.open, node.node, view);
  if (results) memory.byNode.set(node.name, results);
  return results !== undefined;
}

/** Why the claims of a pod can't be allocated on any node. */
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

/** Devices of allocated claims, written or assumed; admin access uses none. */
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

/** Deallocated devices may help every pod; other changes of a claim only the pods that use it. */
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
