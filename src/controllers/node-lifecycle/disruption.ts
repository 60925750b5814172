/**
 * Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go (handleDisruption, ComputeZoneState,
 * setLimiterInZone).
 */
import type { Node } from "#/api/core/v1.ts";

interface DisruptionFlags {
  readonly "node-eviction-rate": number;
  readonly "secondary-node-eviction-rate": number;
  readonly "unhealthy-zone-threshold": number;
  readonly "large-cluster-size-threshold": number;
}

/** Nodes with this label do not count when the state of a zone is computed. */
const exclusionLabel = "node.kubernetes.io/exclude-disruption";

/** The region and zone of a node, by which nodes are grouped for eviction. */
export function zoneOf({ metadata }: Node): string {
  const labels = metadata.labels ?? {};
  return `${labels["topology.kubernetes.io/region"] ?? ""}:${labels["topology.kubernetes.io/zone"] ?? ""}`;
}

/** Number of nodes of a zone by their readiness. */
interface ZoneCount {
  readonly ready: number;
  readonly unready: number;
}

/** Counts the nodes of each zone. */
export function countZones(
  nodes: Iterable<{ readonly node: Node; readonly isReady: boolean }>,
): Map<string, ZoneCount> {
  const zones = new Map<string, ZoneCount>();
  for (const { node, isReady } of nodes) {
    if (Object.hasOwn(node.metadata.labels ?? {}, exclusionLabel)) continue;
    const { ready, unready } = zones.get(zoneOf(node)) ?? { ready: 0, unready: 0 };
    const count = isReady ? { ready: ready + 1, unready } : { ready, unready: unready + 1 };
    zones.set(zoneOf(node), count);
  }
  return zones;
}

/** Whether all nodes of all zones are down: this controller is probably disconnected. */
export const isFullDisruption = (zones: ReadonlyMap<string, ZoneCount>): boolean =>
  zones.size > 0 && [...zones.values()].every(({ ready }) => ready === 0);

/**
 * Limit of nodes per second and zone whose Pods are evicted: if much of a zone fails, the cause is
 * probably the network.
 */
export function evictionRates(
  zones: ReadonlyMap<string, ZoneCount>,
  flags: DisruptionFlags,
): Map<string, number> {
  const isStopped = isFullDisruption(zones);
  return new Map(
    Array.from(zones, ([zone, { ready, unready }]) => {
      if (isStopped) return [zone, 0];
      const size = ready + unready;
      const isPartial =
        ready > 0 && unready > 2 && unready / size >= flags["unhealthy-zone-threshold"];
      if (!isPartial) return [zone, flags["node-eviction-rate"]];
      const isLarge = size > flags["large-cluster-size-threshold"];
      return [zone, isLarge ? flags["secondary-node-eviction-rate"] : 0];
    }),
  );
}

/** The tokens of a zone without eviction. */
const stopped = Number.NEGATIVE_INFINITY;

/** Limits the evicted nodes of each zone: one token per node, refilled over time. */
export class EvictionPace {
  #tokens = new Map<string, number>();
  #lastMs: number | undefined;

  /** Refills the tokens by the rates of the zones; other zones are forgotten. */
  refill(rates: ReadonlyMap<string, number>, monotonicMs: number): void {
    const seconds = (monotonicMs - (this.#lastMs ?? monotonicMs)) / 1000;
    this.#lastMs = monotonicMs;
    this.#tokens = new Map(
      Array.from(rates, ([zone, rate]) => {
        if (rate === 0) return [zone, stopped];
        // If nothing was allowed before, one node is allowed at once.
        const before = this.#tokens.get(zone) ?? stopped;
        return [zone, before === stopped ? 1 : Math.min(1, before + seconds * rate)];
      }),
    );
  }

  /** Takes a token of a zone; false if there is none. */
  tryTake(zone: string): boolean {
    const tokens = this.#tokens.get(zone) ?? stopped;
    if (tokens < 1) return false;
    this.#tokens.set(zone, tokens - 1);
    return true;
  }

  /** Returns a token that was not used. */
  giveBack(zone: string): void {
    this.#tokens.set(zone, (this.#tokens.get(zone) ?? stopped) + 1);
  }
}
