import { parseQuantity, quantityOf, zeroQuantity } from "#/machinery/values/quantity.ts";
import { parseResourceList, type ResourceList } from "#/machinery/values/resource-list.ts";
import { hardReservations, type Threshold } from "../state/thresholds.ts";
import type { FilesystemFacts, MachineFacts } from "./machine-facts.ts";

/** The part of the configuration that limits how much of the node pods may use. */
export interface CapacitySettings {
  readonly maxPods: number;
  readonly podsPerCore?: number | undefined;
  readonly systemReserved?: Readonly<Record<string, string>> | undefined;
  readonly kubeReserved?: Readonly<Record<string, string>> | undefined;
  readonly localStorageCapacityIsolation: boolean;
  readonly thresholds: readonly Threshold[];
}

/**
 * The capacity of the node.
 *
 * Upstream: pkg/kubelet/nodestatus/setters.go, pkg/kubelet/cadvisor/util.go.
 */
export function nodeCapacity(
  facts: MachineFacts,
  filesystem: FilesystemFacts,
  settings: CapacitySettings,
): ResourceList {
  const { maxPods, podsPerCore = 0 } = settings;
  const pods = podsPerCore > 0 ? Math.min(facts.cores * podsPerCore, maxPods) : maxPods;
  const capacity: ResourceList = new Map([
    ["cpu", quantityOf(facts.cores)],
    ["memory", quantityOf(facts.memoryBytes, "BinarySI")],
    ["pods", quantityOf(pods)],
  ]);
  if (settings.localStorageCapacityIsolation) {
    capacity.set("ephemeral-storage", quantityOf(filesystem.capacityBytes, "BinarySI"));
  }
  for (const { sizeBytes, count } of facts.hugePages) {
    const size = quantityOf(sizeBytes, "BinarySI").toString();
    capacity.set(`hugepages-${size}`, quantityOf(sizeBytes * count, "BinarySI"));
  }
  return capacity;
}

/** The allocatable part of the capacity: without reservations, hard eviction thresholds and huge pages. */
export function nodeAllocatable(capacity: ResourceList, settings: CapacitySettings): ResourceList {
  const system = parseResourceList(settings.systemReserved);
  const kube = parseResourceList(settings.kubeReserved);
  const evictions = hardReservations(settings.thresholds, capacity);
  const allocatable: ResourceList = new Map();
  for (const [name, quantity] of capacity) {
    let left = quantity;
    for (const reserved of [system, kube, evictions]) {
      const amount = reserved.get(name);
      if (amount !== undefined) left = left.sub(amount);
    }
    allocatable.set(name, left.sign < 0 ? zeroQuantity : left);
  }
  for (const [name, quantity] of capacity) {
    const memory = allocatable.get("memory");
    if (!name.startsWith("hugepages-") || memory === undefined) continue;
    const left = memory.sub(quantity);
    allocatable.set("memory", left.sign < 0 ? zeroQuantity : left);
  }
  return allocatable;
}

/** Limits of the cgroup of all pods: the capacity without reservations; eviction thresholds are not subtracted. */
export function enforcedAllocatable(
  capacity: ResourceList,
  maxPids: number,
  settings: CapacitySettings,
): ResourceList {
  const internal: ResourceList = new Map(capacity);
  internal.set("pid", quantityOf(maxPids));
  for (const reserved of [settings.systemReserved, settings.kubeReserved]) {
    for (const [name, text] of Object.entries(reserved ?? {})) {
      const held = internal.get(name);
      if (held !== undefined) internal.set(name, held.sub(parseQuantity(text)));
    }
  }
  return internal;
}
