import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * The network of a cluster that shares a machine with others: ports, routes and packet rules are its own, so that no two
 * clusters meet. A cable leads to the machine's network, which forwards and masquerades what the cluster sends out.
 */
export interface NamespacePlan {
  readonly namespace: string;
  /** The machine's end of the cable. */
  readonly link: string;
  readonly hostAddress: string;
  readonly nodeAddress: string;
  readonly cidr: string;
  readonly table: string;
}

/** A range that is seldom used: each namespace has four addresses of it. */
const allNamespaces = "10.191.0.0/16";

/** Where a cluster's namespace is, computed from its name alone: the same at each start. */
export function planNamespace(cluster: string): NamespacePlan {
  const hash = createHash("sha256").update(cluster).digest();
  const base = `10.191.${hash[0]}`;
  const first = ((hash[1] ?? 0) % 64) * 4;
  return {
    namespace: `k8ts-${cluster}`,
    // Names of links have at most 15 characters.
    link: `k8ts${hash.toString("hex", 2, 7)}`,
    hostAddress: `${base}.${first + 1}`,
    nodeAddress: `${base}.${first + 2}`,
    cidr: `${base}.${first}/30`,
    table: `k8ts_${cluster.replaceAll("-", "_")}`,
  };
}

/** By which programs enter a namespace. */
export const namespaceFile = (namespace: string): string => `/run/netns/${namespace}`;

export async function ensureNamespace(plan: NamespacePlan): Promise<void> {
  if (existsSync(namespaceFile(plan.namespace))) return;
  try {
    await makeNamespace(plan);
  } catch (error) {
    await removeNamespace(plan);
    throw error;
  }
}

async function makeNamespace(plan: NamespacePlan): Promise<void> {
  const { namespace, link, hostAddress, nodeAddress, cidr, table } = plan;
  const ip = (...args: string[]) => run("ip", args);
  await ip("netns", "add", namespace);
  await ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace);
  await ip("address", "add", `${hostAddress}/30`, "dev", link);
  await ip("link", "set", link, "up");
  await ip("-n", namespace, "link", "set", "lo", "up");
  await ip("-n", namespace, "address", "add", `${nodeAddress}/30`, "dev", "eth0");
  await ip("-n", namespace, "link", "set", "eth0", "up");
  await ip("-n", namespace, "route", "add", "default", "via", hostAddress);
  await writeFile("/proc/sys/net/ipv4/ip_forward", "1");
  const rules = [
    `table ip ${table} {`,
    "chain leaving {",
    "type nat hook postrouting priority srcnat",
    // Clusters, and nodes of one, see each other as they are.
    `ip saddr ${cidr} ip daddr != ${allNamespaces} oifname != "${link}" masquerade`,
    "}",
    "}",
  ];
  await run("nft", [rules.join("\n")]);
}

/** Takes all of it away; what is gone already is no error. */
export async function removeNamespace({ namespace, link, table }: NamespacePlan): Promise<void> {
  await run("ip", ["link", "delete", link]).catch(isGone);
  await run("nft", ["delete", "table", "ip", table]).catch(isGone);
  if (existsSync(namespaceFile(namespace))) await run("ip", ["netns", "delete", namespace]);
}

function isGone(error: { readonly stderr?: string }): void {
  if (/Cannot find device|No such file/.test(error.stderr ?? "")) return;
  throw error;
}
