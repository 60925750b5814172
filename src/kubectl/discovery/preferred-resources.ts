/** Upstream: staging/src/k8s.io/client-go/discovery/discovery_client.go (ServerPreferredResources). */
import type { DiscoveredGroup, Mapping } from "./discovered-group.ts";

/** Each resource in the version that its group prefers, by default sorted by group and name. */
export function preferredResources(groups: readonly DiscoveredGroup[], sortBy = ""): Mapping[] {
  return sorted(preferred(groups), sortBy);
}

/** Each resource in the first version of its group that has it. */
function preferred(groups: readonly DiscoveredGroup[]): Mapping[] {
  return groups.flatMap(({ versions }) => {
    const seen = new Set<string>();
    return versions.flatMap(({ resources }) => {
      const added = resources.filter(({ name }) => !seen.has(name));
      for (const { name } of added) seen.add(name);
      return added;
    });
  });
}

function sorted(mappings: readonly Mapping[], by: string): Mapping[] {
  const key = ({ name, kind, group }: Mapping): string =>
    by === "name" ? name : by === "kind" ? kind : group;
  const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return mappings.toSorted((a, b) => compare(key(a), key(b)) || compare(a.name, b.name));
}
