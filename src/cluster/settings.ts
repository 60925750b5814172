import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { ClusterPaths } from "./paths.ts";
import { writeWhole } from "./pki.ts";

/** What a cluster was made with on this machine: kept, so that later commands and starts agree. */
export interface ClusterSettings {
  readonly name: string;
  /** A server has the control plane; a machine that joined another's cluster has a node only. */
  readonly role: "server" | "agent";
  readonly nodeName: string;
  readonly nodeIp: string;
  /** Where the API server is reached: https://ADDRESS:PORT. */
  readonly server: string;
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly clusterDomain: string;
  readonly proxyMode: string;
  /** Socket of the container runtime; undefined if the cluster has its own containerd. */
  readonly runtimeEndpoint?: string | undefined;
  /** The kubeconfig that got the cluster's context. */
  readonly kubeconfig?: string | undefined;
  /** The network namespace that the cluster was given; undefined for the machine's own. */
  readonly networkNamespace?: string | undefined;
  readonly verbosity: number;
  readonly logFormat: "text" | "json";
}

export function findSettings(paths: ClusterPaths): ClusterSettings | undefined {
  if (!existsSync(paths.settings)) return undefined;
  return JSON.parse(readFileSync(paths.settings, "utf8")) as ClusterSettings;
}

export function getSettings(paths: ClusterPaths): ClusterSettings {
  const settings = findSettings(paths);
  if (!settings) throw new Error(`there is no cluster in ${paths.folder}; start one with: k8ts up`);
  return settings;
}

export async function saveSettings(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  await mkdir(dirname(paths.settings), { recursive: true });
  await writeWhole(paths.settings, `${JSON.stringify(settings, undefined, 2)}\n`);
}
