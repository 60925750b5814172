import {
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import {
  type CSIDriver,
  type CSINode,
  type CSIStorageCapacity,
  csiDrivers,
  csiStorageCapacities,
  type StorageClass,
  storageClasses,
} from "#/api/storage/v1.ts";
import { invalid } from "#/machinery/meta/field-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import {
  requestedStorage,
  volumeCapacity,
  volumeClass,
  withClaimRefTo,
} from "#/machinery/volumes/match-volume.ts";
import {
  claimClass,
  claimedVolumes,
  claimNotFound,
  foreignClaimProblem,
  isFullyBound,
  selectedNodeAnnotation,
  usesClaim,
} from "#/machinery/volumes/volume-claims.ts";
import type { ArgumentRules } from "../../config/plugin-settings.ts";
import { action, type Interest, interest } from "../../framework/cluster-event.ts";
import { maxNodeScore } from "../../framework/plugin.ts";
import { isRejection, type Rejection, rejectForGood } from "../../framework/rejection.ts";
import { type UtilizationShapePoint, validateShape } from "../shared/argument-parts.ts";
import type {
  MakingOptions,
  PluginDeclaration,
  PluginMethods,
} from "../shared/plugin-declaration.ts";
import { interpolate } from "../shared/resource-scores.ts";
import { AssumedObjects } from "./assumed-objects.ts";
import { bindVolumes, type VolumeObjects } from "./bind-volumes.ts";
import {
  findVolumes,
  type PodClaims,
  type PodVolumes,
  type StorageView,
  volumeLimit,
} from "./find-volumes.ts";

const name = "VolumeBinding";
const unboundImmediate = rejectForGood(name, "pod has unbound immediate PersistentVolumeClaims");

/** State of a pod from one extension point to the next. */
interface Memory {
  readonly byNode: Map<string, PodVolumes>;
  /** Bindings assumed for the chosen node. */
  reserved: PodVolumes | undefined;
}

interface VolumeBindingArgs {
  readonly bindTimeoutSeconds: number;
  readonly shape: readonly UtilizationShapePoint[];
}

const argumentRules: ArgumentRules<VolumeBindingArgs> = {
  complete: (given) => ({
    ...given,
    bindTimeoutSeconds: given.bindTimeoutSeconds ?? 600,
    shape: given.shape?.length
      ? given.shape
      : [
          { utilization: 0, score: 10 },
          { utilization: 100, score: 0 },
        ],
  }),
  validate({ bindTimeoutSeconds, shape }, path) {
    const text = "invalid BindTimeoutSeconds, should not be a negative value";
    const at = path.child("bindTimeoutSeconds");
    const errors = bindTimeoutSeconds < 0 ? [invalid(at, bindTimeoutSeconds, text)] : [];
    return [...errors, ...validateShape(shape, path.child("shape"))];
  },
};

/**
 * Finds volumes for the claims of a pod that wait for its node, and binds them before the pod is bound.
 *
 * Upstream: pkg/scheduler/framework/plugins/volumebinding.
 */
export const volumeBinding: PluginDeclaration<VolumeBindingArgs> = {
  name,
  args: argumentRules,
  make,
};

function make(args: VolumeBindingArgs, { context }: MakingOptions): PluginMethods {
  const objects = {
    volumes: new AssumedObjects(context.lister(persistentVolumes)),
    claims: new AssumedObjects(context.lister(persistentVolumeClaims)),
  };
  const classes = context.lister(storageClasses);
  const drivers = context.lister(csiDrivers);
  const capacities = context.lister(csiStorageCapacities);
  const view: StorageView = {
    findVolume: (volume) => objects.volumes.get(undefined, volume),
    volumesOfClass: (wanted) => objects.volumes.list().filter((one) => volumeClass(one) === wanted),
    findClass: (wanted) => classes.get(undefined, wanted),
    findDriver: (driver) => drivers.get(undefined, driver),
    capacities: () => capacities.list(),
  };
  const findClaim = (pod: Pod, claimName: string): PersistentVolumeClaim | undefined =>
    objects.claims.get(pod.metadata.namespace, claimName);
  const scoreVolumes = volumeScorer(args);
  return {
    requeueOn: interests,
    filter(cycle) {
      const { pod } = cycle.pod;
      if (claimedVolumes(pod).length === 0) return undefined;
      const claims = claimsOf(pod, findClaim, view);
      if (isRejection(claims)) return claims;
      if (claims.immediate.length > 0) return unboundImmediate;
      const memory: Memory = { byNode: new Map(), reserved: undefined };
      cycle.remember(name, memory);
      return {
        check({ node, name: nodeName }) {
          const found = findVolumes(claims, node, view);
          if ("bindings" in found) memory.byNode.set(nodeName, found);
          else return rejectForGood(name, ...found);
          return undefined;
        },
      };
    },
    score(cycle) {
      const memory = cycle.recall<Memory>(name);
      if (memory === undefined) return undefined;
      return { score: (node) => scoreVolumes(memory.byNode.get(node.name)) };
    },
    reserve(cycle, nodeName) {
      const memory = cycle.recall<Memory>(name);
      const found = memory?.byNode.get(nodeName);
      if (memory && found && found.bindings.length + found.provisions.length > 0) {
        memory.reserved = assumeVolumes(found, nodeName, objects);
      }
      return undefined;
    },
    unreserve(cycle) {
      const reserved = cycle.recall<Memory>(name)?.reserved;
      if (reserved) forgetVolumes(reserved, objects);
    },
    needsPreBind: (cycle) => cycle.recall<Memory>(name)?.reserved !== undefined,
    async preBind(cycle, nodeName, signal) {
      const reserved = cycle.recall<Memory>(name)?.reserved;
      if (!reserved) return undefined;
      const timeoutMs = args.bindTimeoutSeconds * 1000;
      const options = { context, objects, timeoutMs, signal };
      await bindVolumes(cycle.pod.pod, nodeName, reserved, options);
      return undefined;
    },
  };
}

/** Assumes that volumes and claims are bound to each other, and to the node. */
function assumeVolumes(found: PodVolumes, nodeName: string, objects: VolumeObjects): PodVolumes {
  const bindings = found.bindings.map(({ claim, volume }) => {
    return { claim, volume: withClaimRefTo(volume, claim) };
  });
  const provisions = found.provisions.map(({ claim }) => ({ claim: onNode(claim, nodeName) }));
  for (const { volume } of bindings) objects.volumes.assume(volume);
  for (const { claim } of provisions) objects.claims.assume(claim);
  return { bindings, provisions };
}

function forgetVolumes({ bindings, provisions }: PodVolumes, objects: VolumeObjects): void {
  for (const { volume } of bindings) objects.volumes.restore(volume);
  for (const { claim } of provisions) objects.claims.restore(claim);
}

/** The claims of a pod by their state, or the reason to reject the pod. */
function claimsOf(
  pod: Pod,
  find: (pod: Pod, claimName: string) => PersistentVolumeClaim | undefined,
  view: StorageView,
): PodClaims | Rejection {
  const bound: PersistentVolumeClaim[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  const immediate: PersistentVolumeClaim[] = [];
  for (const { claimName, ephemeral } of claimedVolumes(pod)) {
    const claim = find(pod, claimName);
    const problem = claimProblem(pod, claimName, claim, ephemeral);
    if (problem !== undefined || !claim) return rejectForGood(name, problem ?? "");
    if (isFullyBound(claim)) bound.push(claim);
    else if (isDelayed(claim, view) && !claim.spec?.volumeName) delayed.push(claim);
    else immediate.push(claim);
  }
  return { bound, delayed, immediate };
}

function claimProblem(
  pod: Pod,
  claimName: string,
  claim: PersistentVolumeClaim | undefined,
  ephemeral: boolean,
): string | undefined {
  if (claim === undefined) {
    if (!ephemeral) return claimNotFound(claimName);
    return `waiting for ephemeral volume controller to create the persistentvolumeclaim "${claimName}"`;
  }
  if (claim.status?.phase === "Lost") {
    const volume = claim.spec?.volumeName ?? "";
    return `persistentvolumeclaim "${claimName}" bound to non-existent persistentvolume "${volume}"`;
  }
  if (claim.metadata.deletionTimestamp) {
    return `persistentvolumeclaim "${claimName}" is being deleted`;
  }
  return ephemeral ? foreignClaimProblem(pod, claim) : undefined;
}

/** True if a claim is bound only when its first pod has a node (WaitForFirstConsumer). */
function isDelayed(claim: PersistentVolumeClaim, view: StorageView): boolean {
  const className = claimClass(claim);
  const found = className === "" ? undefined : view.findClass(className);
  if (found === undefined) return false;
  if (found.volumeBindingMode === undefined) {
    throw new Error(`VolumeBindingMode not set for StorageClass "${className}"`);
  }
  return found.volumeBindingMode === "WaitForFirstConsumer";
}

function onNode(claim: PersistentVolumeClaim, nodeName: string): PersistentVolumeClaim {
  const annotations = { ...claim.metadata.annotations, [selectedNodeAnnotation]: nodeName };
  return { ...claim, metadata: { ...claim.metadata, annotations } };
}

/** Scores nodes by the utilization of their storage, class by class. */
function volumeScorer({ shape }: VolumeBindingArgs): (volumes: PodVolumes | undefined) => number {
  const points = shape.map(({ utilization, score }) => ({
    utilization,
    score: score * (maxNodeScore / 10),
  }));
  return (volumes) => {
    if (volumes === undefined) return 0;
    const classes = new Map<string, { requested: number; capacity: number }>();
    const at = (className: string) => {
      const sums = classes.get(className) ?? { requested: 0, capacity: 0 };
      classes.set(className, sums);
      return sums;
    };
    for (const { claim, volume } of volumes.bindings) {
      const sums = at(volumeClass(volume));
      sums.requested += requestedStorage(claim).value();
      sums.capacity += volumeCapacity(volume).value();
    }
    if (volumes.bindings.length === 0) {
      for (const { claim, capacity } of volumes.provisions) {
        if (capacity?.capacity === undefined) continue;
        const sums = at(claimClass(claim));
        sums.requested += requestedStorage(claim).value();
        sums.capacity =
          volumeLimit({ ...capacity, maximumVolumeSize: capacity.capacity })?.value() ?? 0;
      }
    }
    if (classes.size === 0) return 0;
    let sum = 0;
    for (const { requested, capacity } of classes.values()) {
      const full = capacity === 0 || requested > capacity;
      sum += interpolate(points, full ? 100 : Math.floor((requested * 100) / capacity));
    }
    return Math.round(sum / classes.size);
  };
}

const migratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins";

const interests: readonly Interest[] = [
  interest<Pod, StorageClass>(
    "storage.k8s.io/StorageClass",
    action.Add | action.Update,
    (_pod, before, after) =>
      !before || !deepEqual(before.allowedTopologies ?? [], after?.allowedTopologies ?? []),
  ),
  interest<Pod, PersistentVolumeClaim>(
    "PersistentVolumeClaim",
    action.Add | action.Update,
    (pod, _before, claim) => claim !== undefined && usesClaim(pod, claim),
  ),
  interest("PersistentVolume", action.Add | action.Update),
  interest("Node", action.Add | action.UpdateNodeLabel),
  interest<Pod, CSINode>(
    "storage.k8s.io/CSINode",
    action.Add | action.Update,
    (_pod, before, after) =>
      !before ||
      before.metadata.annotations?.[migratedPlugins] !==
        after?.metadata.annotations?.[migratedPlugins],
  ),
  interest<Pod, CSIDriver>("storage.k8s.io/CSIDriver", action.Update, (pod, before, after) => {
    const counted = before?.spec.storageCapacity === true && after?.spec.storageCapacity !== true;
    return (
      counted && (pod.spec.volumes ?? []).some(({ csi }) => csi?.driver === after?.metadata.name)
    );
  }),
  interest<Pod, CSIStorageCapacity>(
    "storage.k8s.io/CSIStorageCapacity",
    action.Add | action.Update,
    (_pod, before, after) => {
      if (!before || !after) return true;
      const then = volumeLimit(before);
      const now = volumeLimit(after);
      return now !== undefined && (then === undefined || now.compare(then) > 0);
    },
  ),
];
