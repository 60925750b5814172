import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { aborted } from "#/std/async/aborted.ts";
import { logger } from "#/std/log/log.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { clusterInfo } from "../access/cluster-info.ts";
import { authoritiesConfigMap, authoritiesNamespace } from "../access/node-authorities.ts";
import { kubeletAuthorities } from "../access/pki.ts";
import { authoritiesName, serverRoles } from "../access/server-roles.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, publicServer } from "../base/settings.ts";

const log = logger("cluster");
const retryMs = 500;
/** The label by which kubeadm and k3s mark the node of a server; `kubectl get nodes` prints it as its role. */
export const roleLabel = "node-role.kubernetes.io/control-plane";

/** The part of an API client that is needed. */
interface ApiWriter {
  request(request: {
    readonly method: string;
    readonly path: string;
    readonly query?: Readonly<Record<string, string | boolean>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly status: number; readonly body: unknown }>;
}

const apply = {
  query: { fieldManager: "k8ts", force: true },
  type: "application/apply-patch+yaml",
};

/** Applies the roles of the server's own users. */
export async function publishRoles(api: ApiWriter): Promise<void> {
  for (const { path, body } of serverRoles) {
    const headers = { "content-type": apply.type };
    const request = { path, query: apply.query, headers, body: JSON.stringify(body) };
    const { status, body: answer } = await api.request({ method: "PATCH", ...request });
    if (status < 300) continue;
    const { message = "" } = answer as { message?: string };
    log.warning("failed to publish the server", { path, status, reason: message });
  }
}

/** Publishes the address of this server and its node in the API, at each start. */
export async function publishServer(
  paths: ClusterPaths,
  settings: ClusterSettings,
  api: ApiWriter,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  const writes = [
    ...(await authorityWrites(paths, settings)),
    {
      path: `/api/v1/nodes/${settings.nodeName}`,
      query: { fieldManager: "k8ts" },
      type: "application/merge-patch+json",
      body: { metadata: { labels: { [roleLabel]: "" } } },
    },
  ];
  for (const { path, query, type, body } of writes) {
    const headers = { "content-type": type };
    const request = { method: "PATCH", path, query, headers, body: JSON.stringify(body), signal };
    await keepTrying(() => api.request(request), path, { clock, signal });
  }
  await aborted(signal);
}

/** Where the authorities of the cluster are published, for those who join, nodes, and scrapers of kubelets. */
export async function authorityWrites(paths: ClusterPaths, settings: ClusterSettings) {
  const pki = (file: string): Promise<string> => readFile(join(paths.pki, file), "utf8");
  const [ca, kubeletCa, ofKubelets] = await Promise.all([
    pki("ca.crt"),
    pki("kubelet-ca.crt"),
    pki(kubeletAuthorities),
  ]);
  const forNodes = await authoritiesConfigMap(paths.pki, { ca, kubeletCa });
  const configMap = (namespace: string, name: string, body: object) => {
    return { ...apply, path: `/api/v1/namespaces/${namespace}/configmaps/${name}`, body };
  };
  return [
    configMap("kube-public", "cluster-info", clusterInfo(publicServer(settings), ca)),
    configMap("kube-system", "kubelet-serving-ca", kubeletServingAuthority(ofKubelets)),
    configMap(authoritiesNamespace, authoritiesName, forNodes),
  ];
}

/** The authority of kubelets, for scrapers of their metrics that verify it; clients of the API do not trust it. */
const kubeletServingAuthority = (authority: string): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "kubelet-serving-ca", namespace: "kube-system" },
  data: { "ca.crt": authority },
});

/** The node may be registered later than its server starts; other failures are logged as well. */
async function keepTrying(
  send: () => Promise<{ readonly status: number; readonly body: unknown }>,
  path: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  for (let logged = 0; ; ) {
    const { status, body } = await send();
    if (status < 300) return;
    if (status !== 404 && status !== logged) {
      const { message = "" } = body as { message?: string };
      log.warning("failed to publish the server", { path, status, reason: message });
      logged = status;
    }
    await clock.sleep(retryMs, signal);
  }
}
