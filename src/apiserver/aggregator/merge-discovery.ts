import type { ServedGroup } from "../discovery/discovery.ts";
import { compareByPriority, firstGroup, type Priority } from "./priorities.ts";
import type { VersionDiscovery } from "./read-discovery.ts";

/** An API of another server, as discovery shows it. */
interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly discovery: VersionDiscovery;
}

/** Sort key of groups with the same priority: their names, or those of their APIServices. */
export type TieBreak = "group" | "apiService";

interface MergeOptions {
  readonly remotes: readonly RemoteVersion[];
  readonly priorityOf: (group: string, version: string) => Priority;
  readonly tieBreak: TieBreak;
}

/**
 * The groups of this server and of aggregated ones, in the order of their priorities.
 *
 * Upstream: staging/src/k8s.io/kube-aggregator/pkg/apiserver/handler_apis.go,
 * staging/src/k8s.io/apiserver/pkg/endpoints/discovery/aggregated/handler.go.
 */
export function mergeDiscovery(
  groups: readonly ServedGroup[],
  { remotes, priorityOf, tieBreak }: MergeOptions,
): readonly ServedGroup[] {
  const versions = new Map(groups.map(({ name, versions: own }) => [name, [...own]]));
  for (const { group, version, discovery } of remotes) {
    const others = (versions.get(group) ?? []).filter((known) => known.version !== version);
    versions.set(group, [...others, { version, resources: [], remote: discovery }]);
  }
  return [...versions]
    .map(([name, own]) => {
      const ranked = own
        .map((entry) => ({ ...entry, priority: priorityOf(name, entry.version) }))
        .sort(compareByPriority);
      const highest = Math.max(...ranked.map(({ priority }) => priority.group));
      const first = ranked
        .filter(({ priority }) => priority.group === highest)
        .map(({ version }) => `${version}.${name}`)
        .sort()[0];
      return {
        rank: name === firstGroup ? Number.POSITIVE_INFINITY : highest,
        tie: tieBreak === "group" ? name : (first ?? name),
        group: { name, versions: ranked.map(({ priority: _, ...entry }) => entry) },
      };
    })
    .sort((a, b) => (a.rank === b.rank ? (a.tie < b.tie ? -1 : 1) : b.rank - a.rank))
    .map(({ group }) => group);
}
