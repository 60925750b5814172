import type { Node, NodeSelector } from "#/api/core/v1.ts";
import type { Device, ResourceSlice } from "#/api/resource/v1.ts";
import { compileNodeSelector } from "#/machinery/pods/node-affinity.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";

/** A device that a node can use, with its pool and driver. */
export interface PoolDevice {
  readonly id: string;
  readonly driver: string;
  readonly pool: Pool;
  readonly device: Device;
  /** Nodes on which its claim can be used: this one, those of a selector, or all. */
  readonly reach: "node" | NodeSelector | "all";
}

/** Devices of one driver that share counters. */
export interface Pool {
  readonly driver: string;
  readonly name: string;
  /** True if not all of its slices were received yet. */
  readonly isIncomplete: boolean;
  readonly slices: readonly ResourceSlice[];
  /** Shared counters, as "set/counter". */
  readonly counters: ReadonlyMap<string, number>;
}

export const deviceId = (driver: string, pool: string, device: string): string =>
  `${driver}/${pool}/${device}`;

/**
 * The pools of the slices, each with its newest generation only.
 *
 * Upstream: staging/src/k8s.io/dynamic-resource-allocation/structured/internal/stable/pools_stable.go.
 */
export function gatherPools(slices: readonly ResourceSlice[]): readonly Pool[] {
  const byPool = Map.groupBy(slices, ({ spec }) => `${spec.driver}/${spec.pool.name}`);
  return Array.from(byPool.values(), (all) => {
    const generation = Math.max(...all.map(({ spec }) => spec.pool.generation));
    const current = all.filter(({ spec }) => spec.pool.generation === generation);
    const [first] = current;
    const { driver = "", pool } = first?.spec ?? {};
    return {
      driver,
      name: pool?.name ?? "",
      isIncomplete: current.length !== pool?.resourceSliceCount,
      slices: current,
      counters: countersOf(current),
    };
  });
}

/** The devices of a pool that a node can use. */
export function devicesFor(pool: Pool, node: Node): readonly PoolDevice[] {
  return pool.slices.flatMap(({ spec }) => {
    const { devices = [], perDeviceNodeSelection } = spec;
    if (perDeviceNodeSelection) {
      return devices.flatMap((device) => reachable(pool, device, reachOf(device, node)));
    }
    const reach = reachOf(spec, node);
    return devices.flatMap((device) => reachable(pool, device, reach));
  });
}

/** Amounts of the shared counters that a device consumes. */
export function consumption({ consumesCounters = [] }: Device): ReadonlyMap<string, number> {
  return new Map(
    consumesCounters.flatMap(({ counterSet, counters }) =>
      Object.entries(counters).map(([name, { value }]) => {
        return [`${counterSet}/${name}`, parseQuantity(value).toNumber()] as const;
      }),
    ),
  );
}

function reachable(
  pool: Pool,
  device: Device,
  reach: PoolDevice["reach"] | undefined,
): readonly PoolDevice[] {
  if (reach === undefined) return [];
  const id = deviceId(pool.driver, pool.name, device.name);
  return [{ id, driver: pool.driver, pool, device, reach }];
}

interface Selecting {
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly allNodes?: boolean;
}

function reachOf(
  { nodeName, nodeSelector, allNodes }: Selecting,
  node: Node,
): PoolDevice["reach"] | undefined {
  if (nodeName) return nodeName === node.metadata.name ? "node" : undefined;
  if (allNodes) return "all";
  if (!nodeSelector) return undefined;
  return compileNodeSelector(nodeSelector).matches(node) ? nodeSelector : undefined;
}

function countersOf(slices: readonly ResourceSlice[]): ReadonlyMap<string, number> {
  const counters = new Map<string, number>();
  for (const { spec } of slices) {
    for (const { name: set, counters: own } of spec.sharedCounters ?? []) {
      for (const [name, { value }] of Object.entries(own)) {
        counters.set(`${set}/${name}`, parseQuantity(value).toNumber());
      }
    }
  }
  return counters;
}
