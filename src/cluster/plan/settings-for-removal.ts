import { existsSync } from "node:fs";
import { defaultNodeName } from "../base/default-node-name.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, findSettings } from "../base/settings.ts";
import { namespaceFile, planNamespace } from "../machine/network-namespace.ts";

/** The settings of a cluster, or if they can't be read, the minimum that is needed to remove it. */
export function settingsForRemoval(paths: ClusterPaths, name: string): ClusterSettings {
  const { namespace } = planNamespace(name);
  const hasNamespace = existsSync(namespaceFile(namespace));
  const assumed = {
    name,
    role: "server" as const,
    nodeName: defaultNodeName(name),
    nodeIp: "",
    isNodeIpFixed: true,
    server: "",
    serverNames: [],
    kubeconfigs: [],
    podCidr: "",
    lbPool: "",
    serviceCidr: "",
    clusterDomain: "",
    proxyMode: "",
    antiSpoofing: true,
    disabled: [],
    runtime: "containerd",
    networkNamespace: hasNamespace ? namespace : undefined,
    verbosity: 0,
    logFormat: "text" as const,
  };
  try {
    return findSettings(paths) ?? assumed;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") throw error;
    return assumed;
  }
}
