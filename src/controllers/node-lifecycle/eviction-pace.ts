/** Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go (ComputeZoneState, setLimiterInZone). */
import type { Node } from "#/api/core/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";

export interface PaceFlags {
  readonly "node-eviction-rate": number;
  readonly "secondary-node-eviction-rate": number;
  readonly "unhealthy-zone-threshold": number;
  readonly "large-cluster-size-threshold": number;
}

/** The zone of a node, with its region, as nodes are grouped for eviction. */
export function zoneOf({ metadata }: Node): string {
  const labels = metadata.labels ?? {};
  return `${labels["topology.kubernetes.io/region"] ?? ""}:${labels["topology.kubernetes.io/zone"] ?? ""}`;
}

/** Nodes of each zone per second whose pods may be evicted: the more of a zone fails, the likelier it is the network. */
export function evictionRates(nodes: readonly Node[], flags: PaceFlags): Map<string, number> {
  const zones = Map.groupBy(nodes, zoneOf);
  const isReady = ({ status }: Node): boolean => hasCondition(status?.conditions, "Ready");
  const isDown = (zone: readonly Node[]): boolean => zone.length > 0 && !zone.some(isReady);
  const areAllDown = [...zones.values()].every(isDown);
  return new Map(
    Array.from(zones, ([zone, members]) => {
      // When nothing answers anywhere, it is this controller that is cut off.
      if (areAllDown) return [zone, 0];
      if (isDown(members)) return [zone, flags["node-eviction-rate"]];
      const unready = members.filter((node) => !isReady(node)).length;
      const isPartial =
        unready > 2 && unready / members.length >= flags["unhealthy-zone-threshold"];
      if (!isPartial) return [zone, flags["node-eviction-rate"]];
      const isLarge = members.length > flags["large-cluster-size-threshold"];
      return [zone, isLarge ? flags["secondary-node-eviction-rate"] : 0];
    }),
  );
}
