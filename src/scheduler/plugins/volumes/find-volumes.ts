import type { Node, PersistentVolume, PersistentVolumeClaim } from "#/api/core/v1.ts";
import type { CSIDriver, CSIStorageCapacity, StorageClass } from "#/api/storage/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { parseQuantity, type Quantity } from "#/machinery/values/quantity.ts";
import {
  findMatchingVolume,
  requestedStorage,
  topologyAllows,
  volumeFitsNode,
} from "#/machinery/volumes/match-volume.ts";
import { claimClass, selectedNodeAnnotation } from "#/machinery/volumes/volume-claims.ts";

/** A claim and the volume chosen for it. */
interface StaticBinding {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}

/** A claim for which a volume will be provisioned, and the capacity that has room for it. */
interface Provision {
  readonly claim: PersistentVolumeClaim;
  readonly capacity?: CSIStorageCapacity | undefined;
}

/** Bindings and provisioning for the claims of a pod on a node. */
export interface PodVolumes {
  readonly bindings: readonly StaticBinding[];
  readonly provisions: readonly Provision[];
}

/** The claims of a pod by their state. */
export interface PodClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** To be bound once the pod's node is known. */
  readonly delayed: readonly PersistentVolumeClaim[];
  /** To be bound by the volume controller first. */
  readonly immediate: readonly PersistentVolumeClaim[];
}

/** The listers of storage objects. */
export interface StorageView {
  findVolume(name: string): PersistentVolume | undefined;
  volumesOfClass(name: string): readonly PersistentVolume[];
  findClass(name: string): StorageClass | undefined;
  findDriver(name: string): CSIDriver | undefined;
  capacities(): readonly CSIStorageCapacity[];
}

const bindConflict = "node(s) didn't find available persistent volumes to bind";
const nodeConflict = "node(s) didn't match PersistentVolume's node affinity";
const notEnoughSpace = "node(s) did not have enough free storage";
const volumeMissing = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
const noProvisioner = "kubernetes.io/no-provisioner";

/**
 * Bindings and provisioning for the claims of a pod on a node, or the reasons to reject the node.
 *
 * Upstream: pkg/scheduler/framework/plugins/volumebinding/binder.go.
 */
export function findVolumes(
  claims: PodClaims,
  node: Node,
  view: StorageView,
): PodVolumes | readonly string[] {
  const reasons: string[] = [];
  const bound = checkBound(claims.bound, node, view);
  if (bound !== undefined) reasons.push(bound);
  const found = meetDelayed(claims.delayed, node, view);
  if (typeof found === "string") reasons.push(found);
  if (reasons.length > 0 || typeof found === "string") {
    const order = [nodeConflict, bindConflict, notEnoughSpace, volumeMissing];
    return order.filter((reason) => reasons.includes(reason));
  }
  return found;
}

function checkBound(
  claims: readonly PersistentVolumeClaim[],
  { metadata: { labels = {} } }: Node,
  view: StorageView,
): string | undefined {
  for (const { spec } of claims) {
    const volume = view.findVolume(spec?.volumeName ?? "");
    if (volume === undefined) return volumeMissing;
    if (!volumeFitsNode(volume, labels)) return nodeConflict;
  }
  return undefined;
}

function meetDelayed(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  view: StorageView,
): PodVolumes | string {
  const selected = (claim: PersistentVolumeClaim): string | undefined =>
    claim.metadata.annotations?.[selectedNodeAnnotation];
  const withSelectedNode = claims.filter((claim) => selected(claim) !== undefined);
  if (withSelectedNode.some((claim) => selected(claim) !== node.metadata.name)) return bindConflict;
  const bindings: StaticBinding[] = [];
  const toProvision = [...withSelectedNode];
  const taken = new Set<string>();
  const open = claims
    .filter((claim) => selected(claim) === undefined)
    .toSorted((a, b) => requestedStorage(a).compare(requestedStorage(b)));
  const { labels: nodeLabels = {} } = node.metadata;
  for (const claim of open) {
    const volumes = view.volumesOfClass(claimClass(claim));
    const volume = findMatchingVolume(claim, volumes, { nodeLabels, taken });
    if (volume) {
      taken.add(volume.metadata.name ?? "");
      bindings.push({ claim, volume });
    } else {
      toProvision.push(claim);
    }
  }
  const provisions = provisionAll(toProvision, node, view);
  return typeof provisions === "string" ? provisions : { bindings, provisions };
}

function provisionAll(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  view: StorageView,
): readonly Provision[] | string {
  const provisions: Provision[] = [];
  for (const claim of claims) {
    const { namespace = "", name = "" } = claim.metadata;
    const className = claimClass(claim);
    if (className === "") throw new Error(`no class for claim "${namespace}/${name}"`);
    const storageClass = view.findClass(className);
    if (!storageClass) throw new Error(`failed to find storage class "${className}"`);
    const { provisioner } = storageClass;
    if (provisioner === "" || provisioner === noProvisioner) return bindConflict;
    if (!topologyAllows(storageClass, node.metadata.labels ?? {})) return bindConflict;
    const room = findRoom(claim, storageClass, node, view);
    if (room === "none") return notEnoughSpace;
    provisions.push({ claim, capacity: room });
  }
  return provisions;
}

/** The capacity that a claim would be taken from; undefined if the driver reports none, "none" if no capacity suffices. */
function findRoom(
  claim: PersistentVolumeClaim,
  { metadata, provisioner }: StorageClass,
  { metadata: { labels } }: Node,
  view: StorageView,
): CSIStorageCapacity | undefined | "none" {
  if (claim.spec?.resources?.requests?.["storage"] === undefined) return undefined;
  if (!view.findDriver(provisioner)?.spec.storageCapacity) return undefined;
  const wanted = requestedStorage(claim);
  const found = view.capacities().find((capacity) => {
    const limit = volumeLimit(capacity);
    if (capacity.storageClassName !== metadata.name || capacity.nodeTopology === undefined)
      return false;
    if (limit === undefined || limit.compare(wanted) < 0) return false;
    return compileLabelSelector(capacity.nodeTopology).matches(labels);
  });
  return found ?? "none";
}

/** Size of the largest volume that a capacity has room for. */
export function volumeLimit({
  maximumVolumeSize,
  capacity,
}: CSIStorageCapacity): Quantity | undefined {
  const text = maximumVolumeSize ?? capacity;
  return text === undefined ? undefined : parseQuantity(text);
}
