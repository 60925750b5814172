import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import type { KernelChange } from "#/std/kernel/kernel-changes.ts";
import { logger } from "#/std/log/log.ts";
import { addressAt, formatCidr, subnetAt } from "#/std/net/cidr.ts";
import { formatIp } from "#/std/net/ip.ts";
import { ProgramError, type RunProgram, runProgram } from "#/std/process/run-program.ts";
import { familiesOf, parsedCidrs } from "../base/address-families.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { recorderOf } from "./host-changes.ts";
import { NamespaceRules, namespaceRange6 } from "./namespace-rules.ts";

const log = logger("cluster");

interface LinkAddresses {
  readonly hostAddress: string;
  readonly nodeAddress: string;
  readonly cidr: string;
}

/**
 * The network of a cluster that shares a machine with others: it has its own ports, routes and packet rules, so that no two
 * clusters conflict. A veth pair leads to the machine's network, which forwards and masquerades the cluster's packets.
 */
export interface NamespacePlan {
  readonly cluster: string;
  readonly namespace: string;
  /** A mount of the machine's own network namespace. */
  readonly machine: string;
  /** The machine's end of the veth pair. */
  readonly link: string;
  readonly hostAddress: string;
  readonly nodeAddress: string;
  readonly cidr: string;
  /** The same of IPv6; undefined for a cluster without. */
  readonly ipv6?: LinkAddresses;
  readonly table: string;
  /** Networks that the machine reaches in the namespace. */
  readonly routed: readonly string[];
}

/** The names and addresses of a cluster's namespace, computed from its name only: the same at each start. */
export function planNamespace(
  cluster: string,
  { routed = [], ipv6 = false }: NamespaceOptions = {},
): NamespacePlan {
  const hash = createHash("sha256").update(cluster).digest();
  const base = `10.191.${hash[0]}`;
  const first = ((hash[1] ?? 0) % 64) * 4;
  return {
    cluster,
    namespace: `k8ts-${cluster}`,
    // Names of clusters have no dot.
    machine: `k8ts-${cluster}.machine`,
    // Limit of a link's name: 15 characters.
    link: `k8ts${hash.toString("hex", 2, 7)}`,
    hostAddress: `${base}.${first + 1}`,
    nodeAddress: `${base}.${first + 2}`,
    cidr: `${base}.${first}/30`,
    ...(ipv6 ? { ipv6: planIpv6(hash) } : {}),
    table: `k8ts_${cluster.replaceAll("-", "_")}`,
    routed,
  };
}

interface NamespaceOptions {
  readonly routed?: readonly string[];
  readonly ipv6?: boolean;
}

function planIpv6(hash: Buffer): LinkAddresses {
  const cidr = subnetAt(namespaceRange6, 64, hash.readUInt16BE(0));
  const address = (index: number): string => formatIp(addressAt(cidr, index));
  return { hostAddress: address(1), nodeAddress: address(2), cidr: formatCidr(cidr) };
}

/** The addresses that a cluster's namespace gives its node, that of the cluster's primary family first. */
export function namespaceAddresses(cluster: string, podCidr: string): string[] {
  const { nodeAddress, ipv6 } = planNamespace(cluster, { ipv6: true });
  return familiesOf(podCidr).map((family) =>
    family === 6 && ipv6 ? ipv6.nodeAddress : nodeAddress,
  );
}

/** The namespace of a node. The load balancers of a cluster are reached at its server's node. */
export function namespaceOf({ name, role, lbPool, podCidr }: ClusterSettings): NamespacePlan {
  return planNamespace(name, {
    routed: role === "server" ? parsedCidrs(lbPool).map(formatCidr) : [],
    ipv6: familiesOf(podCidr).includes(6),
  });
}

/** The command that runs a program in a namespace. */
export const namespaceFile = (namespace: string): string => `/run/netns/${namespace}`;

/** Creates the missing parts of a namespace and its veth pair, and their rules in the machine's network. */
export async function ensureNamespace(
  plan: NamespacePlan,
  run: RunProgram = runProgram,
  record: (change: KernelChange) => void = recorderOf(plan.cluster),
): Promise<void> {
  const isNew = !existsSync(namespaceFile(plan.namespace));
  try {
    if (isNew) await makeNamespace(plan, run);
    await ensureMachineFile(plan, run);
    await new NamespaceRules(plan, { run, log, record }).ensure();
  } catch (error) {
    // An existing one may have a running cluster in it.
    if (isNew) await removeNamespace(plan, run);
    throw error;
  }
}

async function makeNamespace(plan: NamespacePlan, run: RunProgram): Promise<void> {
  const { namespace, link, hostAddress, nodeAddress } = plan;
  const ip = (...args: string[]) => run("ip", args);
  await ip("netns", "add", namespace);
  await ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace);
  await ip("address", "add", `${hostAddress}/30`, "dev", link);
  await ip("link", "set", link, "up");
  await ip("-n", namespace, "link", "set", "lo", "up");
  await ip("-n", namespace, "address", "add", `${nodeAddress}/30`, "dev", "eth0");
  await ip("-n", namespace, "link", "set", "eth0", "up");
  await ip("-n", namespace, "route", "add", "default", "via", hostAddress);
  if (!plan.ipv6) return;
  const { ipv6 } = plan;
  await ip("address", "add", `${ipv6.hostAddress}/64`, "dev", link, "nodad");
  await ip("-n", namespace, "address", "add", `${ipv6.nodeAddress}/64`, "dev", "eth0", "nodad");
  await ip("-n", namespace, "-6", "route", "add", "default", "via", ipv6.hostAddress);
}

/** Gives the machine's network a name by which the agent, which is inside the namespace, enters it. */
async function ensureMachineFile({ machine }: NamespacePlan, run: RunProgram): Promise<void> {
  if (existsSync(namespaceFile(machine))) return;
  await run("sh", ["-c", 'ip netns attach "$0" $$', machine]);
}

/** Removes all of it; missing parts are no error. */
export async function removeNamespace(
  plan: NamespacePlan,
  run: RunProgram = runProgram,
): Promise<void> {
  const { namespace, machine, link } = plan;
  await run("ip", ["link", "delete", link]).catch(isGone);
  await new NamespaceRules(plan, { run, log, record: () => undefined }).remove();
  for (const name of [machine, namespace]) {
    if (existsSync(namespaceFile(name))) await run("ip", ["netns", "delete", name]);
  }
}

function isGone(error: unknown): void {
  if (error instanceof ProgramError && /Cannot find device|No such device/.test(error.stderr))
    return;
  throw error;
}
