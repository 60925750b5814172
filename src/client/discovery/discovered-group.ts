/** Upstream: staging/src/k8s.io/api/apidiscovery/v2, staging/src/k8s.io/client-go/discovery. */
import type { Resource } from "#/api/base/resource.ts";
import type { DynamicObject } from "../dynamic-object.ts";

/** One version of a group of resources. */
export interface DiscoveredVersion<T = DynamicObject> {
  readonly version: string;
  readonly resources: readonly Resource<T>[];
  /** The server behind an aggregated API does not answer. */
  readonly stale: boolean;
}

/** A group of resources; its preferred version is the first. */
export interface DiscoveredGroup<T = DynamicObject> {
  readonly group: string;
  readonly versions: readonly DiscoveredVersion<T>[];
}

interface Kind {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: Kind;
  readonly scope?: string;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    subresource: string;
    responseKind?: Kind;
    verbs?: readonly string[];
  }[];
}

/** The used fields of APIGroupDiscoveryList. */
export interface AggregatedDiscovery {
  readonly kind?: string;
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly freshness?: string;
      readonly resources?: readonly AggregatedResource[];
    }[];
  }[];
}

/** The used fields of APIResourceList. */
export interface ResourceList {
  readonly groupVersion?: string;
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName?: string;
    readonly namespaced?: boolean;
    readonly group?: string;
    readonly version?: string;
    readonly kind?: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

/** Reads aggregated discovery: one document for all groups. */
export function fromAggregated<T>({ items = [] }: AggregatedDiscovery): DiscoveredGroup<T>[] {
  return items.map(({ metadata, versions = [] }) => {
    const group = metadata?.name ?? "";
    return {
      group,
      versions: versions.map(({ version, freshness, resources = [] }) => ({
        version,
        stale: freshness === "Stale",
        resources: resources.map((resource) => aggregatedResource({ group, version }, resource)),
      })),
    };
  });
}

function aggregatedResource<T>(
  at: { group: string; version: string },
  found: AggregatedResource,
): Resource<T> {
  return {
    ...at,
    kind: found.responseKind?.kind ?? "",
    name: found.resource,
    singular: found.singularResource ?? "",
    namespaced: found.scope === "Namespaced",
    shortNames: found.shortNames ?? [],
    categories: found.categories ?? [],
    verbs: found.verbs ?? [],
    subresources: (found.subresources ?? []).map(({ subresource, responseKind, verbs = [] }) => ({
      name: subresource,
      group: responseKind?.group ?? at.group,
      version: responseKind?.version ?? at.version,
      kind: responseKind?.kind ?? "",
      verbs,
    })),
  };
}

/** Reads the unaggregated form of discovery: one document per version. */
export function fromResourceList<T>(
  at: { group: string; version: string },
  { resources = [] }: ResourceList,
): Resource<T>[] {
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map((found) => ({
      ...at,
      kind: found.kind ?? "",
      name: found.name,
      singular: found.singularName ?? "",
      namespaced: found.namespaced === true,
      shortNames: found.shortNames ?? [],
      categories: found.categories ?? [],
      verbs: found.verbs ?? [],
      subresources: resources
        .filter(({ name }) => name.startsWith(`${found.name}/`))
        .map((part) => ({
          name: part.name.slice(found.name.length + 1),
          group: part.group ?? at.group,
          version: part.version ?? at.version,
          kind: part.kind ?? "",
          verbs: part.verbs ?? [],
        })),
    }));
}
