import { createHash } from "node:crypto";
import type { Resource, Subresource } from "#/api/base/resource.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import type { Declaration } from "../registry/strategy.ts";
import { compareVersions } from "./version-order.ts";

/**
 * The served resources, in all forms of discovery. Pure: made from the catalog.
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/discovery, api/discovery.
 */

/** One group with its versions, preferred first, and the resources of each. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly VersionedResource[];
  /** The discovery of another server, if the version is served by it. */
  readonly remote?: object;
}

/** The groups in discovery's order: the core group, then as they were declared. */
export function servedGroups(catalog: Catalog): readonly ServedGroup[] {
  const groups = new Map<string, Map<string, VersionedResource[]>>();
  for (const { versions } of catalog.listed) {
    for (const resource of versions.values()) {
      const { group: name, version } = resource.version.handle;
      const group = groups.get(name) ?? new Map<string, VersionedResource[]>();
      groups.set(name, group);
      group.set(version, [...(group.get(version) ?? []), resource]);
    }
  }
  return [...groups].map(([name, versions]) => ({
    name,
    versions: [...versions]
      .sort(([a], [b]) => compareVersions(a, b))
      .map(([version, resources]) => ({ version, resources: resources.toSorted(byName) })),
  }));
}

const byName = (a: VersionedResource, b: VersionedResource): number =>
  a.version.handle.name < b.version.handle.name ? -1 : 1;

/** metav1.APIVersions: the response of /api. */
export function apiVersions(serverAddress: string): object {
  const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress }];
  return {
    kind: "APIVersions",
    apiVersion: undefined,
    versions: ["v1"],
    serverAddressByClientCIDRs,
  };
}

/** metav1.APIGroup: the response of /apis/GROUP. */
export function apiGroup({ name, versions }: ServedGroup): object {
  const entries = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** metav1.APIGroupList: the response of /apis without aggregated discovery. */
export function apiGroupList(groups: readonly ServedGroup[]): object {
  const named = groups.filter(({ name }) => name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: named.map(apiGroup) };
}

/** metav1.APIResourceList: the response of /api/v1 and /apis/GROUP/VERSION. */
export function apiResourceList(
  groupVersion: string,
  resources: readonly VersionedResource[],
): object {
  const entries = resources.flatMap(({ resource, version: { handle } }) => [
    {
      name: handle.name,
      singularName: handle.singular,
      namespaced: handle.namespaced,
      kind: handle.kind,
      verbs: handle.verbs,
      ...(handle.shortNames.length > 0 ? { shortNames: handle.shortNames } : {}),
      ...(handle.categories.length > 0 ? { categories: handle.categories } : {}),
      ...(resource.declaration.verbs
        ? {}
        : { storageVersionHash: storageVersionHash(resource.declaration) }),
    },
    ...handle.subresources.map((subresource) => subresourceEntry(handle, subresource)),
  ]);
  // Upstream omits the version of the core group's list.
  const apiVersion = groupVersion === "v1" ? undefined : "v1";
  return { kind: "APIResourceList", apiVersion, groupVersion, resources: entries };
}

function subresourceEntry(
  handle: Resource,
  { name, group, version, kind, verbs }: Subresource,
): object {
  const own = group === handle.group && version === handle.version;
  return {
    name: `${handle.name}/${name}`,
    singularName: "",
    namespaced: handle.namespaced,
    ...(own ? {} : { group, version }),
    kind,
    verbs,
  };
}

/** storageVersionHash: shows clients that the stored version has changed. */
function storageVersionHash({ handle, upstreamStorageVersion }: Declaration): string {
  const { group, version: own, kind } = handle;
  const version = upstreamStorageVersion ?? own;
  const digest = createHash("sha256").update(`${group}/${version}/${kind}`).digest();
  return digest.subarray(0, 8).toString("base64");
}

/** apidiscovery.k8s.io/v2 APIGroupDiscoveryList: aggregated discovery. */
export function aggregatedDiscovery(groups: readonly ServedGroup[]): object {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map(
        ({ version, resources, remote }) =>
          remote ?? {
            version,
            resources: resources.map(resourceDiscovery),
            freshness: "Current",
          },
      ),
    })),
  };
}

function resourceDiscovery({ resource, version: { handle } }: VersionedResource): object {
  const { abbreviatesKind } = resource.declaration;
  const kindOf = ({
    group,
    version,
    kind,
  }: Pick<Resource, "group" | "version" | "kind">): object =>
    abbreviatesKind && group === handle.group && version === handle.version
      ? { group: "", version: "", kind }
      : { group, version, kind };
  return {
    resource: handle.name,
    responseKind: kindOf(handle),
    scope: handle.namespaced ? "Namespaced" : "Cluster",
    singularResource: handle.singular,
    verbs: handle.verbs,
    ...(handle.shortNames.length > 0 ? { shortNames: handle.shortNames } : {}),
    ...(handle.categories.length > 0 ? { categories: handle.categories } : {}),
    ...(handle.subresources.length > 0
      ? {
          subresources: handle.subresources.map((sub) => ({
            subresource: sub.name,
            responseKind: kindOf(sub),
            verbs: sub.verbs,
          })),
        }
      : {}),
  };
}
