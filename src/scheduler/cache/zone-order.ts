import type { Node } from "#/api/core/v1.ts";

const region = "topology.kubernetes.io/region";
const zone = "topology.kubernetes.io/zone";
const oldRegion = "failure-domain.beta.kubernetes.io/region";
const oldZone = "failure-domain.beta.kubernetes.io/zone";

/** Region and zone of a node as one key; "" for a node that names neither. */
export function zoneKeyOf({ metadata: { labels = {} } }: Pick<Node, "metadata">): string {
  const regionName = labels[oldRegion] ?? labels[region] ?? "";
  const zoneName = labels[oldZone] ?? labels[zone] ?? "";
  return regionName === "" && zoneName === "" ? "" : `${regionName}:\0:${zoneName}`;
}

/**
 * Items, alternating between zones: the first of each zone, then the second of each…, so that a part of the
 * list has nodes of every zone.
 *
 * Upstream: pkg/scheduler/backend/cache/node_tree.go.
 */
export function inZoneTurns<T>(items: Iterable<T>, zoneOf: (item: T) => string): T[] {
  const zones = new Map<string, T[]>();
  for (const item of items) {
    const key = zoneOf(item);
    const list = zones.get(key);
    if (list) list.push(item);
    else zones.set(key, [item]);
  }
  const lists = [...zones.values()];
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const turns: T[] = [];
  for (let turn = 0; turn < longest; turn++) {
    for (const list of lists) {
      const item = list[turn];
      if (item !== undefined) turns.push(item);
    }
  }
  return turns;
}
