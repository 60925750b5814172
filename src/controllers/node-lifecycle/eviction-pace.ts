/** Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go (ComputeZoneState, setLimiterInZone). */
import type { Node } from "#/api/core/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";

interface PaceFlags {
  readonly "node-eviction-rate": number;
  readonly "secondary-node-eviction-rate": number;
  readonly "unhealthy-zone-threshold": number;
  readonly "large-cluster-size-threshold": number;
}

/** The region and zone of a node, by which nodes are grouped for eviction. */
export function zoneOf({ metadata }: Node): string {
  const labels = metadata.labels ?? {};
  return `${labels["topology.kubernetes.io/region"] ?? ""}:${labels["topology.kubernetes.io/zone"] ?? ""}`;
}

/**
 * Limit of nodes per second and zone whose Pods are evicted: if much of a zone fails, the cause is
 * probably the network.
 */
export function evictionRates(nodes: readonly Node[], flags: PaceFlags): Map<string, number> {
  const zones = Map.groupBy(nodes, zoneOf);
  const isReady = ({ status }: Node): boolean => hasCondition(status?.conditions, "Ready");
  const isDown = (zone: readonly Node[]): boolean => zone.length > 0 && !zone.some(isReady);
  const areAllDown = [...zones.values()].every(isDown);
  return new Map(
    Array.from(zones, ([zone, members]) => {
      // If all nodes of all zones are silent, this controller is probably disconnected.
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
