import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type ClusterPaths, clusterPaths } from "../base/paths.ts";
import { type ClusterSettings, findSettings } from "../base/settings.ts";
import { namespaceAddresses, planNamespace } from "../machine/network-namespace.ts";

/** A node of a cluster that lives on the machine of its server, in a network namespace and a folder of its own. */
export interface LocalNode {
  readonly paths: ClusterPaths;
  readonly settings: ClusterSettings;
}

const nodesFolder = (paths: ClusterPaths): string => join(paths.folder, "nodes");

/** The nodes that a cluster has on this machine besides its server's own, in the order of their numbers. */
export function localNodes(paths: ClusterPaths): LocalNode[] {
  const folder = nodesFolder(paths);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort((a, b) => Number(a) - Number(b))
    .flatMap((entry) => {
      const own = clusterPaths(join(folder, entry));
      const settings = findSettings(own);
      return settings ? [{ paths: own, settings }] : [];
    });
}

/** The node that a cluster gets next: its number is the lowest that is free, from 2. */
export function nextNode(
  paths: ClusterPaths,
  server: ClusterSettings,
  taken: readonly LocalNode[],
  nodeName = "",
): LocalNode {
  const names = new Set(taken.map(({ settings }) => settings.name));
  let number = 2;
  while (names.has(nodeCluster(server.name, number))) number++;
  const name = nodeCluster(server.name, number);
  const plan = planNamespace(name);
  const [nodeIp = "", otherNodeIp] = namespaceAddresses(name, server.podCidr);
  return {
    paths: clusterPaths(join(nodesFolder(paths), String(number))),
    settings: {
      ...server,
      name,
      role: "agent",
      nodeName: nodeName || `${server.nodeName}-${number}`,
      nodeIp,
      otherNodeIp,
      isNodeIpFixed: true,
      networkNamespace: plan.namespace,
      // A runtime that the user runs is that of the first node: two kubelets would end each other's Pods.
      runtimeEndpoint: undefined,
      runtimeCgroupDriver: undefined,
      serverNames: [],
      kubeconfigs: [],
    },
  };
}

/** The name of a node's namespace, units and cgroups. */
const nodeCluster = (cluster: string, number: number): string => `${cluster}-node${number}`;
