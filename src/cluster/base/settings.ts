import { readFileSync } from "node:fs";
import type { EtcdSettings } from "./etcd-settings.ts";
import { choosePool } from "./load-balancer-pool.ts";
import { ownCommand } from "./own-command.ts";
import type { ClusterPaths } from "./paths.ts";
import { ensureFolder, traverseOnly, writeWhole } from "./write-file.ts";

/** The settings of a cluster on this machine: stored, so that later commands and starts agree. */
export interface ClusterSettings {
  readonly name: string;
  /** A server has the control plane; a machine that joined another's cluster has a node only. */
  readonly role: "server" | "agent";
  readonly nodeName: string;
  /** The node's address: as given, or as found at the node's last start. */
  readonly nodeIp: string;
  /** Its address of the other family, in a cluster with both; undefined if it has none. */
  readonly otherNodeIp?: string | undefined;
  /** True if the address is fixed; otherwise it is looked up at each start. */
  readonly isNodeIpFixed: boolean;
  /** The URL of the API server for other machines: https://ADDRESS:PORT. */
  readonly server: string;
  /** An address that one of the servers has at a time; undefined for none. */
  readonly virtualAddress?: string | undefined;
  /** Additional names and addresses of the API server. */
  readonly serverNames: readonly string[];
  /** Networks, separated by a comma if there is one of each family; the services' are of the same families. */
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly clusterDomain: string;
  /** The networks with the addresses of load balancers, separated by a comma. */
  readonly lbPool: string;
  /** Whether nodes answer ARP for the addresses of load balancers. */
  readonly lbAnnounce?: boolean | undefined;
  readonly proxyMode: string;
  /** Whether the Pod network drops packets with false addresses. */
  readonly antiSpoofing: boolean;
  /** Names of the disabled parts. */
  readonly disabled: readonly string[];
  /** The name of the container runtime that the cluster runs; without meaning if it has a runtimeEndpoint. */
  readonly runtime: string;
  /** A folder with programs of that runtime; undefined if all are found in $PATH. */
  readonly runtimeFolder?: string | undefined;
  /** Socket of a container runtime that the user runs; undefined if the cluster has its own. */
  readonly runtimeEndpoint?: string | undefined;
  /** The cgroup driver of the user's runtime, as it has reported it; undefined if it does not report one. */
  readonly runtimeCgroupDriver?: "systemd" | "cgroupfs" | undefined;
  /** Mirrors of registries, REGISTRY=URL each. */
  readonly registryMirrors?: readonly string[] | undefined;
  /** The kubeconfigs that have the cluster's context. */
  readonly kubeconfigs: readonly string[];
  /** The network namespace of the cluster; undefined for the machine's own. */
  readonly networkNamespace?: string | undefined;
  readonly verbosity: number;
  readonly logFormat: "text" | "json";
  /** More flags of parts, NAME=VALUE each, by the name of the part. */
  readonly partArgs?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Configuration documents of components as the user wrote them, by kind. */
  readonly documents?: Readonly<Record<string, object>> | undefined;
  /** Folders whose manifests the server applies, and follows. */
  readonly manifests?: readonly string[] | undefined;
  /** Whether the server records requests in its audit log. */
  readonly audit?: boolean | undefined;
  /** Whether the server encrypts Secrets in the store with keys of the cluster. */
  readonly encryptsSecrets?: boolean | undefined;
  /** The flags that the configuration file has set: one that it no longer sets gets its default again. */
  readonly configuredFlags?: readonly string[];
  /** The etcd that holds the objects; undefined for the embedded store. */
  readonly etcd?: EtcdSettings | undefined;
  /** When snapshots are made by themselves; undefined for never. */
  readonly snapshots?: SnapshotSchedule | undefined;
}

/** When snapshots are made by themselves, and which of them stay. */
export interface SnapshotSchedule {
  readonly everyMs: number;
  /** How many are kept; those that the user makes stay beside them. */
  readonly keep: number;
  /** A folder, or s3://BUCKET/PREFIX; undefined for the folder of the cluster. */
  readonly to?: string | undefined;
  /** A file with the keys for S3, as AWS's own programs have it. */
  readonly s3Credentials?: string | undefined;
  readonly passphraseFile?: string | undefined;
}

/** The URL of the API server for programs on the machine itself; it stays when the machine's address changes. */
export function localServer({ role, server, networkNamespace }: ClusterSettings): string {
  // A cluster with a network of its own is reached from outside of it, at a fixed address.
  if (role === "agent" || networkNamespace) return server;
  return localPortUrl(serverPort(server));
}

/** The URL of the API server for users and for machines that join: whichever server works, if there is a virtual address. */
export const publicServer = ({ server, virtualAddress }: ClusterSettings): string =>
  virtualAddress ? serverUrl(virtualAddress, serverPort(server)) : server;

/** The port at which a node's own programs reach the servers, by the balancer in its agent. */
export const balancerPort = 6444;

export const localPortUrl = (port: number): string => `https://127.0.0.1:${port}`;

/** The URL of the servers for the programs of a node. */
export const agentServer = localPortUrl(balancerPort);

/** The same for commands: a network of its own is reached from outside of it at the address of a server. */
export const agentServerFor = ({ server, networkNamespace }: ClusterSettings): string =>
  networkNamespace ? server : agentServer;

/** The node's addresses, at most one of each family; that of the primary family first. */
export const nodeIps = ({ nodeIp, otherNodeIp }: ClusterSettings): string[] =>
  otherNodeIp === undefined ? [nodeIp] : [nodeIp, otherNodeIp];

/** The port of https://ADDRESS:PORT. */
export const serverPort = (server: string): number => Number(new URL(server).port || 443);

/** The settings of a node whose address has changed. */
export function withNodeIp(settings: ClusterSettings, nodeIp: string): ClusterSettings {
  const { role, server } = settings;
  if (role === "agent") return { ...settings, nodeIp };
  return { ...settings, nodeIp, server: serverUrl(nodeIp, serverPort(server)) };
}

export const serverUrl = (address: string, port: number): string =>
  `https://${address.includes(":") ? `[${address}]` : address}:${port}`;

/** The settings of the cluster in a folder. An unreadable folder is an error, not a folder without a cluster. */
export function findSettings(paths: ClusterPaths): ClusterSettings | undefined {
  try {
    return complete(JSON.parse(readFileSync(paths.settings, "utf8")) as ClusterSettings);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Defaults of fields that files of earlier versions lack. */
function complete(found: ClusterSettings & { readonly kubeconfig?: string }): ClusterSettings {
  const { kubeconfig, ...settings } = found;
  return {
    ...settings,
    isNodeIpFixed: found.isNodeIpFixed ?? found.networkNamespace !== undefined,
    serverNames: found.serverNames ?? [],
    lbPool: found.lbPool ?? choosePool(found.name, [4]),
    antiSpoofing: found.antiSpoofing ?? true,
    disabled: found.disabled ?? [],
    runtime: found.runtime ?? "containerd",
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
  await ensureFolder(paths.folder, traverseOnly);
  await writeWhole(paths.settings, `${JSON.stringify(settings, undefined, 2)}\n`);
}
