import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { ownCommand } from "./own-command.ts";
import type { ClusterPaths } from "./paths.ts";
import { writeWhole } from "./write-file.ts";

/** What a cluster was made with on this machine: kept, so that later commands and starts agree. */
export interface ClusterSettings {
  readonly name: string;
  /** A server has the control plane; a machine that joined another's cluster has a node only. */
  readonly role: "server" | "agent";
  readonly nodeName: string;
  /** The node's address: as it was given, or as it was when the node was last started. */
  readonly nodeIp: string;
  /** Whether the address stays; otherwise it is looked up at each start. */
  readonly isNodeIpFixed: boolean;
  /** Where other machines reach the API server: https://ADDRESS:PORT. */
  readonly server: string;
  /** More names and addresses by which the API server is reached. */
  readonly serverNames: readonly string[];
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly clusterDomain: string;
  readonly proxyMode: string;
  /** Names of the parts that the cluster does without. */
  readonly disabled: readonly string[];
  /** Socket of the container runtime; undefined if the cluster has its own containerd. */
  readonly runtimeEndpoint?: string | undefined;
  /** The kubeconfigs that got the cluster's context. */
  readonly kubeconfigs: readonly string[];
  /** The network namespace that the cluster was given; undefined for the machine's own. */
  readonly networkNamespace?: string | undefined;
  readonly verbosity: number;
  readonly logFormat: "text" | "json";
}

/** Where programs on the machine itself reach the API server; this stays when the machine's address changes. */
export function localServer({ role, server, networkNamespace }: ClusterSettings): string {
  // A cluster with a network of its own is reached from outside of it, at an address that stays.
  if (role === "agent" || networkNamespace) return server;
  return `https://127.0.0.1:${serverPort(server)}`;
}

/** The port of https://ADDRESS:PORT. */
export const serverPort = (server: string): number => Number(new URL(server).port || 443);

/** The settings of a node that has another address now. */
export function withNodeIp(settings: ClusterSettings, nodeIp: string): ClusterSettings {
  const { role, server } = settings;
  if (role === "agent") return { ...settings, nodeIp };
  return { ...settings, nodeIp, server: serverUrl(nodeIp, serverPort(server)) };
}

export const serverUrl = (address: string, port: number): string =>
  `https://${address.includes(":") ? `[${address}]` : address}:${port}`;

/** The settings of the cluster in a folder. A folder that may not be read is an error, not a folder without a cluster. */
export function findSettings(paths: ClusterPaths): ClusterSettings | undefined {
  try {
    return complete(JSON.parse(readFileSync(paths.settings, "utf8")) as ClusterSettings);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Fields that a file of an earlier version lacks. */
function complete(found: ClusterSettings & { readonly kubeconfig?: string }): ClusterSettings {
  const { kubeconfig, ...settings } = found;
  return {
    ...settings,
    isNodeIpFixed: found.isNodeIpFixed ?? found.networkNamespace !== undefined,
    serverNames: found.serverNames ?? [],
    disabled: found.disabled ?? [],
    kubeconfigs: found.kubeconfigs ?? (kubeconfig ? [kubeconfig] : []),
  };
}

export function getSettings(paths: ClusterPaths): ClusterSettings {
  const settings = findSettings(paths);
  if (!settings)
    throw new Error(`there is no cluster in ${paths.folder}; see: ${ownCommand("list")}`);
  return settings;
}

export async function saveSettings(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  await mkdir(dirname(paths.settings), { recursive: true });
  await writeWhole(paths.settings, `${JSON.stringify(settings, undefined, 2)}\n`);
}
