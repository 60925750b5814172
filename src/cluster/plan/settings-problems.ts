import { networkInterfaces } from "node:os";
import {
  type Cidr,
  cidrContains,
  cidrsOverlap,
  formatCidr,
  isCanonical,
  network,
  parseCidr,
} from "#/std/net/cidr.ts";
import { parseIp } from "#/std/net/ip.ts";
import { type AddressFamily, familiesOf, listed } from "../base/address-families.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { type ClusterSettings, nodeIps, serverPort } from "../base/settings.ts";
import { disableProblems } from "../parts/enabled-parts.ts";
import { runtimeFlagProblems } from "../runtimes/runtime-problems.ts";
import { isUnitOfProgram, unitPrograms } from "../supervision/systemd-units.ts";
import { storeProblems } from "./store-problems.ts";

/** A network that the machine is in. */
export interface MachineNetwork {
  readonly name: string;
  readonly cidr: string;
}

/** Limits of the pods' networks (prefix bits): each node takes a /24 or /64, and the API allows 65,536 of them. */
const podPrefixes = { 4: [8, 24], 6: [48, 64] } as const;
/** Limits of the services' networks (prefix bits): upstream's largest; the smallest with a tenth address, that of DNS. */
const servicePrefixes = { 4: [12, 28], 6: [64, 124] } as const;
/** Limits of the pools of load balancers (prefix bits): the largest that is searched, and a single address. */
const poolPrefixes = { 4: [16, 32], 6: [112, 128] } as const;
const proxyModes = ["nftables", "iptables", "ipvs"];
/** Ports that the node's other programs listen on. */
const takenPorts = [
  2379, 2380, 6444, 10248, 10249, 10250, 10256, 10257, 10258, 10259, 10261, 10262, 10263, 10264,
  10265, 10266,
];
const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const nodeNamePattern = new RegExp(`^(?=.{1,63}$)${label}(\\.${label})*$`);
const domainPattern = new RegExp(`^(?=.{1,253}$)${label}(\\.${label})*$`);
const serverNamePattern = new RegExp(`^(?=.{1,253}$)(\\*\\.)?${label}(\\.${label})*$`);

/** The problems of the settings of a new cluster, each with its flag. */
export function settingsProblems(
  settings: ClusterSettings,
  networks: readonly MachineNetwork[],
): string[] {
  const { nodeName, clusterDomain, proxyMode, serverNames } = settings;
  const problems = networkProblems(settings, networks);
  const expect = (holds: boolean, problem: string): void => void (holds || problems.push(problem));
  expect(
    proxyModes.includes(proxyMode),
    `--proxy-mode=${proxyMode} is unknown; it is one of: ${proxyModes.join(", ")}`,
  );
  problems.push(...runtimeFlagProblems(settings));
  expect(
    nodeNamePattern.test(nodeName),
    `"${nodeName}" is no name of a node (at most 63 lower-case letters, digits, "-" and "."); choose one with --node-name`,
  );
  problems.push(...addressProblems(settings));
  expect(
    domainPattern.test(clusterDomain),
    `--service-dns-domain=${clusterDomain} is no domain such as cluster.local`,
  );
  for (const name of serverNames) {
    const isGood = parseIp(name) !== undefined || serverNamePattern.test(name);
    expect(isGood, `--tls-san=${name} is neither a name nor an address`);
  }
  expect(
    !isUnitOfProgram(settings.name),
    `--name=${settings.name} can't be used: names of clusters end in no name of a program (${unitPrograms.join(", ")}), as their units would have one name; try ${settings.name}-1`,
  );
  return [
    ...problems,
    ...virtualAddressProblems(settings),
    ...disableProblems(settings.disabled),
    ...portProblems(settings),
    ...storeProblems(settings.etcd),
  ];
}

function virtualAddressProblems(settings: ClusterSettings): string[] {
  const { virtualAddress: address, role, podCidr, serviceCidr, lbPool } = settings;
  if (address === undefined || role === "agent") return [];
  const ip = parseIp(address);
  if (!ip) return [`--virtual-address=${address} is no address`];
  if (nodeIps(settings).includes(address)) {
    return [`--virtual-address=${address} is this machine's own: it must belong to none`];
  }
  const networks = [podCidr, serviceCidr, lbPool].flatMap(listed);
  const taken = networks.find((text) => {
    const cidr = parseCidr(text);
    return cidr !== undefined && cidrContains(cidr, ip);
  });
  return taken
    ? [`--virtual-address=${address} is in ${taken}, which the cluster uses itself`]
    : [];
}

function portProblems({ role, server }: ClusterSettings): string[] {
  if (role === "agent") return [];
  const port = URL.canParse(server) ? serverPort(server) : -1;
  const shown = /:(-?\d+)$/.exec(server)?.[1] ?? "";
  if (port < 1) return [`--secure-port=${shown} is no port: it is 1 to 65535`];
  if (!takenPorts.includes(port)) return [];
  return [`--secure-port=${port} is taken by another program of the node; choose another`];
}

function networkProblems(
  { podCidr, serviceCidr, lbPool, lbAnnounce = false }: ClusterSettings,
  networks: readonly MachineNetwork[],
): string[] {
  const settingsOfRanges = [
    { flag: "--pod-network-cidr", text: podCidr, prefixes: podPrefixes },
    { flag: "--service-cidr", text: serviceCidr, prefixes: servicePrefixes },
    { flag: "--lb-pool", text: lbPool, prefixes: poolPrefixes },
  ];
  const problems = settingsOfRanges.flatMap(({ flag, text, prefixes }) =>
    text.split(",").flatMap((one) => rangeProblem(`${flag}=${one}`, parseCidr(one), prefixes)),
  );
  if (problems.length > 0) return problems;
  problems.push(...familyProblems(podCidr, serviceCidr, lbPool));
  const ranges = settingsOfRanges.flatMap(({ flag, text }) =>
    listed(text).map((one) => ({ flag: `${flag}=${one}`, cidr: parseCidr(one) })),
  );
  for (const [index, { flag, cidr }] of ranges.entries()) {
    for (const other of ranges.slice(index + 1)) {
      if (!cidr || !other.cidr || !cidrsOverlap(cidr, other.cidr)) continue;
      problems.push(`${flag} and ${other.flag} overlap`);
    }
  }
  for (const { flag, cidr } of ranges) {
    for (const { name, cidr: text } of networks) {
      const other = parseCidr(text);
      if (!cidr || !other || !cidrsOverlap(cidr, other)) continue;
      if (lbAnnounce && flag.startsWith("--lb-pool") && isPartOf(cidr, other)) continue;
      problems.push(`${flag} overlaps the network ${text} of interface ${name}; choose another`);
    }
  }
  return problems;
}

/** Whether a pool is of a machine's network, and leaves out the machine's own address. */
const isPartOf = (pool: Cidr, { ip, prefixLength }: Cidr): boolean =>
  pool.prefixLength > prefixLength && !cidrContains(pool, ip);

/** Pods and Services have the same families in the same order, and load balancers no others. */
function familyProblems(podCidr: string, serviceCidr: string, lbPool: string): string[] {
  const families = familiesOf(podCidr);
  const twice = [podCidr, serviceCidr, lbPool].find((text) => {
    const found = familiesOf(text);
    return new Set(found).size < found.length;
  });
  if (twice)
    return [`${twice} has two networks of one family; give at most one of IPv4 and of IPv6`];
  const problems: string[] = [];
  if (familiesOf(serviceCidr).join() !== families.join()) {
    problems.push(
      `--service-cidr=${serviceCidr} and --pod-network-cidr=${podCidr} need the same families in the same order`,
    );
  }
  if (familiesOf(lbPool).some((family) => !families.includes(family))) {
    problems.push(`--lb-pool=${lbPool} is of a family that --pod-network-cidr=${podCidr} lacks`);
  }
  return problems;
}

/** The node's addresses are of the families of its Pods, in the same order; the second one may be missing. */
function addressProblems(settings: ClusterSettings): string[] {
  const [first = 4, second] = familiesOf(settings.podCidr);
  const { nodeIp, otherNodeIp } = settings;
  if (parseIp(nodeIp)?.family !== first) return [`--node-ip=${nodeIp} is no IPv${first} address`];
  if (otherNodeIp === undefined) return [];
  if (second === undefined) return [`--node-ip=${otherNodeIp} is of a family that no Pod has`];
  const isGood = parseIp(otherNodeIp)?.family === second;
  return isGood ? [] : [`--node-ip=${otherNodeIp} is no IPv${second} address`];
}

type Prefixes = Readonly<Record<AddressFamily, readonly [number, number]>>;

function rangeProblem(flag: string, cidr: Cidr | undefined, prefixes: Prefixes): string[] {
  if (!cidr) return [`${flag} is no network such as 10.244.0.0/16 or fd00:10:244::/56`];
  if (!isCanonical(cidr)) {
    return [`${flag} is an address in the network ${formatCidr(network(cidr))}; name that`];
  }
  const { prefixLength } = cidr;
  const [widest, narrowest] = prefixes[cidr.ip.family];
  if (prefixLength >= widest && prefixLength <= narrowest) return [];
  return [
    `${flag} is too ${prefixLength < widest ? "wide" : "small"}: from /${widest} to /${narrowest}`,
  ];
}

/** The networks of this machine's interfaces, except loopback. */
export function machineNetworks(): MachineNetwork[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.flatMap(({ internal, cidr }) =>
      !internal && cidr && !cidr.startsWith("fe80:") ? [{ name, cidr }] : [],
    ),
  );
}

/** Throws if a timeout is invalid. */
export function checkTimeout(timeoutMs: number): void {
  if (timeoutMs <= 0) throw new CommandFailure("--timeout must be longer than 0s");
}
