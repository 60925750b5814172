/** Upstream: staging/src/k8s.io/client-go/discovery/discovery_client.go. */
import { parseApiVersion } from "#/machinery/meta/api-version.ts";
import { isNotFound, isStatusError } from "#/machinery/meta/status-error.ts";
import type { Client } from "../client.ts";
import type { DynamicObject } from "../dynamic-object.ts";
import {
  type AggregatedDiscovery,
  type DiscoveredGroup,
  type DiscoveredVersion,
  fromAggregated,
  fromResourceList,
  type ResourceList,
} from "./discovered-group.ts";

const aggregated =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

interface VersionList {
  readonly versions?: readonly string[];
}

interface GroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions: readonly { readonly version: string }[];
    readonly preferredVersion?: { readonly version: string };
  }[];
}

type Answer = AggregatedDiscovery & VersionList & GroupList;

/** Requests the resources of a server; the core group is first. */
export async function discover<T = DynamicObject>(client: Client): Promise<DiscoveredGroup<T>[]> {
  // Both in parallel, but an error of the core group is reported first, whichever response arrives
  // first.
  const groups = ask(client, "/apis");
  groups.catch(() => undefined);
  const core = await ask(client, "/api");
  return [...(await groupsOf<T>(client, core)), ...(await groupsOf<T>(client, await groups))];
}

async function ask(client: Client, path: string): Promise<Answer> {
  try {
    return await client.request<Answer>({ method: "GET", path, headers: { accept: aggregated } });
  } catch (error) {
    if (isNotFound(error) || isStatusError(error, "Forbidden")) return {};
    throw error;
  }
}

async function groupsOf<T>(client: Client, answer: Answer): Promise<DiscoveredGroup<T>[]> {
  if (answer.items) return fromAggregated<T>(answer);
  const plain = [
    ...(answer.versions ? [{ group: "", versions: answer.versions }] : []),
    ...(answer.groups ?? []).map(({ name, versions, preferredVersion }) => {
      const all = versions.map(({ version }) => version);
      const first = preferredVersion?.version ?? all[0] ?? "";
      return { group: name, versions: [first, ...all.filter((version) => version !== first)] };
    }),
  ];
  return Promise.all(
    plain.map(async ({ group, versions }) => ({
      group,
      versions: await Promise.all(versions.map((version) => versionOf<T>(client, group, version))),
    })),
  );
}

async function versionOf<T>(
  client: Client,
  group: string,
  version: string,
): Promise<DiscoveredVersion<T>> {
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    const list = await client.request<ResourceList>({ method: "GET", path });
    const at = list.groupVersion ? parseApiVersion(list.groupVersion) : { group, version };
    return { version, stale: false, resources: fromResourceList(at, list) };
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return { version, stale: true, resources: [] };
  }
}
