/** A kind that the server serves, from its discovery. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  /** The plural. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly subresources: readonly string[];
}

/** The aggregated discovery, as far as it is read. Upstream: staging/src/k8s.io/api/apidiscovery/v2/types.go. */
export interface DiscoveryList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind?: string };
        readonly scope: string;
        readonly verbs?: readonly string[];
        readonly shortNames?: readonly string[];
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

/** The resources of a discovery, each in the version that the server prefers. */
export function resourcesOf(list: DiscoveryList): ApiResource[] {
  const found = new Map<string, ApiResource>();
  for (const { metadata, versions = [] } of list.items ?? []) {
    const group = metadata?.name ?? "";
    for (const { version, resources = [] } of versions) {
      for (const entry of resources) {
        const key = `${group}/${entry.resource}`;
        if (found.has(key)) continue;
        found.set(key, {
          group,
          version,
          resource: entry.resource,
          kind: entry.responseKind?.kind ?? entry.resource,
          namespaced: entry.scope === "Namespaced",
          verbs: entry.verbs ?? [],
          shortNames: entry.shortNames ?? [],
          subresources: (entry.subresources ?? []).map(({ subresource }) => subresource),
        });
      }
    }
  }
  return [...found.values()];
}

/** What identifies a kind in the URL and in texts: "pods", "deployments.apps". */
export const resourceKey = ({
  group,
  resource,
}: Pick<ApiResource, "group" | "resource">): string =>
  group === "" ? resource : `${resource}.${group}`;

/** The path of a resource, or of one object of it. */
export function resourcePath(
  { group, version, resource, namespaced }: ApiResource,
  namespace?: string,
  name?: string,
): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespaced && namespace !== undefined ? `/namespaces/${namespace}` : "";
  return `${root}${scope}/${resource}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}

/** The plural as a title: "NetworkPolicies" for the kind NetworkPolicy. */
export function pluralTitle({ kind, resource }: Pick<ApiResource, "kind" | "resource">): string {
  const common = [...kind.toLowerCase()].findIndex((letter, index) => letter !== resource[index]);
  const kept = common < 0 ? kind.length : common;
  return kind.slice(0, kept) + resource.slice(kept);
}

/** A term of a field selector. Upstream: staging/src/k8s.io/apimachinery/pkg/fields/selector.go, EscapeValue(). */
export const fieldIs = (field: string, value: string): string =>
  `${field}=${value.replace(/[\\,=]/g, "\\$&")}`;
