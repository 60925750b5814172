import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Resource, Subresource } from "../../src/api/base/resource.ts";
import type { UpstreamFolders } from "./upstream.ts";

interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

interface ApiResourceList {
  readonly groupVersion: string;
  readonly resources: readonly ApiResource[];
}

interface AggregatedDiscovery {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly versions: readonly { readonly version: string }[];
  }[];
}

/** A version of a group as the server lists it. */
export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly Resource[];
}

/** What kube-apiserver serves with every API turned on, groups and versions in the order of discovery, core first. */
export function readDiscovery(upstream: UpstreamFolders): ServedVersion[] {
  const folder = join(upstream.kubernetes, "api/discovery");
  const order = groupVersionOrder(folder);
  const lists = readdirSync(folder)
    .filter((file) => /__v\d\w*\.json$/.test(file))
    .map((file) => readJson<ApiResourceList>(join(folder, file)));
  const served = lists.map(readServedVersion);
  const place = ({ group, version }: ServedVersion): number => order.indexOf(`${group}/${version}`);
  for (const item of served) {
    if (place(item) < 0)
      throw new Error(`${item.group}/${item.version} is not in aggregated discovery`);
  }
  return served.sort((a, b) => place(a) - place(b));
}

function groupVersionOrder(folder: string): string[] {
  const { items } = readJson<AggregatedDiscovery>(join(folder, "aggregated_v2.json"));
  const named = items.flatMap(({ metadata, versions }) =>
    versions.map(({ version }) => `${metadata.name}/${version}`),
  );
  return ["/v1", ...named];
}

function readServedVersion({ groupVersion, resources }: ApiResourceList): ServedVersion {
  const [version = "", group = ""] = groupVersion.split("/").reverse();
  const whole = resources.filter(({ name }) => !name.includes("/"));
  const handles = whole.map((resource) => ({
    group: resource.group ?? group,
    version: resource.version ?? version,
    kind: resource.kind,
    name: resource.name,
    singular: resource.singularName,
    namespaced: resource.namespaced,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs,
    subresources: resources
      .filter(({ name }) => name.startsWith(`${resource.name}/`))
      .map(
        (part): Subresource => ({
          name: part.name.slice(resource.name.length + 1),
          group: part.group ?? group,
          version: part.version ?? version,
          kind: part.kind,
          verbs: part.verbs,
        }),
      ),
  }));
  return { group, version, resources: handles };
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8")) as T;
}
