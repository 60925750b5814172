import { kubectl, mustKubectl } from "../access/kubectl.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { localNodes } from "../local-nodes/local-nodes.ts";
import {
  type NodeOutcome,
  outcomeAnnotation,
  parseOutcome,
  versionAnnotation,
} from "../node-upgrade/node-request.ts";
import { type DeprecatedApi, deprecatedApis, type NodeVersion } from "./check-upgrade.ts";

const roleLabel = "node-role.kubernetes.io/control-plane";
const limit = "--request-timeout=10s";

/** A Node of the API, as far as it is needed. */
interface ReadNode {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>> | null;
    readonly annotations?: Readonly<Record<string, string>> | null;
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[] | null;
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
}

/** A node with what its agent reports. */
export interface NodeState extends NodeVersion {
  readonly outcome: NodeOutcome | undefined;
}

/** The nodes of the cluster, servers first. */
export async function readNodes(paths: ClusterPaths): Promise<NodeState[]> {
  const text = await mustKubectl(paths, ["get", "nodes", "-o", "json", limit]);
  const local = new Set(localNodes(paths).map(({ settings }) => settings.nodeName));
  const { items = [] } = JSON.parse(text) as { readonly items?: readonly ReadNode[] };
  const nodes = items.map(({ metadata, status }): NodeState => {
    const annotations = metadata.annotations ?? {};
    return {
      name: metadata.name,
      kubeletVersion: status?.nodeInfo?.kubeletVersion ?? "",
      isServer: metadata.labels?.[roleLabel] !== undefined,
      isReady: (status?.conditions ?? []).some((c) => c.type === "Ready" && c.status === "True"),
      version: annotations[versionAnnotation],
      isLocal: local.has(metadata.name),
      outcome: parseOutcome(annotations[outcomeAnnotation]),
    };
  });
  return nodes.sort(
    (a, b) => Number(b.isServer) - Number(a.isServer) || (a.name < b.name ? -1 : 1),
  );
}

/** The version of Kubernetes that the API server of this machine has. */
export async function readVersion(paths: ClusterPaths): Promise<string> {
  const text = await mustKubectl(paths, ["get", "--raw", "/version", limit]);
  return (JSON.parse(text) as { readonly gitVersion: string }).gitVersion;
}

/** The APIs in use that a later version removes. */
export async function readDeprecated(paths: ClusterPaths): Promise<DeprecatedApi[]> {
  return deprecatedApis(await mustKubectl(paths, ["get", "--raw", "/metrics", limit]));
}

/** By resource, as PATH: in which version it is stored, as a hash. */
export async function readStorageVersions(paths: ClusterPaths): Promise<Record<string, string>> {
  const raw = async (path: string): Promise<unknown> => {
    const { code, out } = await kubectl(paths, ["get", "--raw", path, limit]);
    return code === 0 ? JSON.parse(out) : {};
  };
  const { groups = [] } = (await raw("/apis")) as { groups?: readonly ApiGroup[] };
  const versions = groups.flatMap(({ versions: all }) =>
    all.map((one) => `/apis/${one.groupVersion}`),
  );
  const found: Record<string, string> = {};
  for (const path of ["/api/v1", ...versions]) {
    const { resources = [] } = (await raw(path)) as { resources?: readonly ApiResource[] };
    for (const { name, storageVersionHash } of resources) {
      if (storageVersionHash) found[`${path}/${name}`] = storageVersionHash;
    }
  }
  return found;
}

interface ApiGroup {
  readonly versions: readonly { readonly groupVersion: string }[];
}

interface ApiResource {
  readonly name: string;
  readonly storageVersionHash?: string;
}
