import type { APIGroupDiscoveryList } from "#/api/apidiscovery/v2.ts";
import type { APIResource, APIResourceList } from "#/api/meta/v1.ts";
import { openJsonBody } from "#/machinery/codec/object-body.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { RemoteApi } from "./remote-api.ts";

/** A version of a group as aggregated discovery shows it (apidiscovery.k8s.io/v2 APIVersionDiscovery). */
export interface VersionDiscovery {
  readonly version: string;
  readonly resources?: readonly object[];
  readonly freshness: "Current" | "Stale";
}

const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/**
 * Another server's discovery of an API; "Stale" if it can't be read.
 *
 * Upstream: staging/src/k8s.io/kube-aggregator/pkg/apiserver/handler_discovery.go.
 */
export async function readDiscovery(
  remote: RemoteApi,
  group: string,
  version: string,
): Promise<VersionDiscovery> {
  try {
    const resources =
      (await readAggregated(remote, group, version)) ?? (await readLegacy(remote, group, version));
    const found = resources && resources.length > 0 ? { resources } : {};
    return { version, ...found, freshness: "Current" };
  } catch {
    return { version, freshness: "Stale" }; // The reason is in the APIService's condition.
  }
}

async function readAggregated(
  remote: RemoteApi,
  group: string,
  version: string,
): Promise<readonly object[] | undefined> {
  const { status, headers, body } = await remote.ask("/apis", { accept });
  if (status === 503) throw new Error("service unavailable");
  const type = headers["content-type"] ?? "";
  if (status !== 200 || !type.includes("as=APIGroupDiscoveryList") || !type.includes("v=v2"))
    return undefined;
  const list = ["apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList"] as const;
  const { items = [] } = decodeAs<APIGroupDiscoveryList>(body, list);
  const own = items.find(({ metadata }) => (metadata?.name ?? "") === group);
  return own?.versions?.find((candidate) => candidate.version === version)?.resources ?? [];
}

async function readLegacy(
  remote: RemoteApi,
  group: string,
  version: string,
): Promise<readonly object[]> {
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const { status, body } = await remote.ask(path, { accept: "application/json" });
  if (status !== 200) throw new Error(`failed to download legacy discovery for ${path}`);
  const { resources = [] } = decodeAs<APIResourceList>(body, ["", "v1", "APIResourceList"]);
  return fromLegacy(resources);
}

/**
 * Decodes a list. Every client reads the merged discovery, so that a field of a wrong type must not be passed on. Throws
 * DecodeError.
 */
function decodeAs<T>(body: string, kind: readonly [string, string, string]): T {
  const schema = findSchema(...kind);
  if (!schema) throw new Error(`no schema for ${kind[2]}`);
  return openJsonBody(Buffer.from(body)).decode<T>(schema, false).value;
}

/** The resources of an APIResourceList in the form of aggregated discovery: subresources below their parents. */
function fromLegacy(resources: readonly APIResource[]): object[] {
  const kindOf = ({ group = "", version = "", kind }: APIResource) => ({ group, version, kind });
  const parentOf = ({ name }: APIResource): string => name.split("/", 1)[0] ?? "";
  const below = Map.groupBy(
    resources.filter(({ name }) => name.includes("/")),
    parentOf,
  );
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map((resource) => {
      const subresources = (below.get(resource.name) ?? []).map((sub) => ({
        subresource: sub.name.slice(resource.name.length + 1),
        responseKind: kindOf(sub),
        verbs: sub.verbs,
      }));
      const { shortNames = [], categories = [] } = resource;
      return {
        resource: resource.name,
        responseKind: kindOf(resource),
        scope: resource.namespaced ? "Namespaced" : "Cluster",
        singularResource: resource.singularName,
        verbs: resource.verbs,
        ...(shortNames.length > 0 ? { shortNames } : {}),
        ...(categories.length > 0 ? { categories } : {}),
        ...(subresources.length > 0 ? { subresources } : {}),
      };
    });
}
