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
import { CommandFailure } from "../base/command-failure.ts";
import { type ClusterSettings, serverPort } from "../base/settings.ts";
import { disableProblems } from "../parts/enabled-parts.ts";
import { runtimeNames } from "../runtimes/index.ts";
import { unknownRuntime } from "../runtimes/runtime-problems.ts";
import { isUnitOfProgram } from "../supervision/systemd-units.ts";

/** A network that the machine is in. */
export interface MachineNetwork {
  readonly name: string;
  readonly cidr: string;
}

/** Limits of the pods' network (prefix bits): each node takes a /24, and the API allows 65,536 of them. */
const podPrefixes = [8, 24] as const;
/** Limits of the services' network (prefix bits): upstream's largest; the smallest with a tenth address, that of DNS. */
const servicePrefixes = [12, 28] as const;
/** Limits of the pool of load balancers (prefix bits): the largest that is searched, and a single address. */
const poolPrefixes = [16, 32] as const;
const proxyModes = ["nftables", "iptables", "ipvs"];
/** Ports that the node's other programs listen on. */
const takenPorts = [10248, 10249, 10250, 10256, 10257, 10258, 10259, 10261, 10262];
const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const nodeNamePattern = new RegExp(`^(?=.{1,63}$)${label}(\\.${label})*$`);
const domainPattern = new RegExp(`^(?=.{1,253}$)${label}(\\.${label})*$`);
const serverNamePattern = new RegExp(`^(?=.{1,253}$)(\\*\\.)?${label}(\\.${label})*$`);

/** The problems of the settings of a new cluster, each with its flag. */
export function settingsProblems(
  settings: ClusterSettings,
  networks: readonly MachineNetwork[],
): string[] {
  const { nodeName, nodeIp, clusterDomain, proxyMode, serverNames } = settings;
  const problems = networkProblems(settings, networks);
  const expect = (holds: boolean, problem: string): void => void (holds || problems.push(problem));
  expect(
    proxyModes.includes(proxyMode),
    `--proxy-mode=${proxyMode} is unknown; it is one of: ${proxyModes.join(", ")}`,
  );
  const unknown = unknownRuntime(settings.runtime);
  expect(unknown === undefined, unknown ?? "");
  const isOwn = settings.runtimeEndpoint === undefined;
  const isDefault = settings.runtime === runtimeNames[0] && settings.runtimeFolder === undefined;
  expect(
    isOwn || isDefault,
    "--container-runtime-endpoint names a runtime that runs already: leave out --runtime and --runtime-dir",
  );
  expect(
    nodeNamePattern.test(nodeName),
    `"${nodeName}" is no name of a node (at most 63 lower-case letters, digits, "-" and "."); choose one with --node-name`,
  );
  expect(parseIp(nodeIp)?.family === 4, `--node-ip=${nodeIp} is no IPv4 address`);
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
    `--name=${settings.name} can't be used: that may be a program of another cluster`,
  );
  return [...problems, ...disableProblems(settings.disabled), ...portProblems(settings)];
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
  const ranges = [
    { flag: `--pod-network-cidr=${podCidr}`, cidr: parseCidr(podCidr), prefixes: podPrefixes },
    {
      flag: `--service-cidr=${serviceCidr}`,
      cidr: parseCidr(serviceCidr),
      prefixes: servicePrefixes,
    },
    { flag: `--lb-pool=${lbPool}`, cidr: parseCidr(lbPool), prefixes: poolPrefixes },
  ] as const;
  const problems = ranges.flatMap(({ flag, cidr, prefixes }) => rangeProblem(flag, cidr, prefixes));
  if (problems.length > 0) return problems;
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

function rangeProblem(
  flag: string,
  cidr: Cidr | undefined,
  [widest, narrowest]: readonly [number, number],
): string[] {
  if (cidr?.ip.family !== 4) return [`${flag} is no IPv4 network such as 10.244.0.0/16`];
  if (!isCanonical(cidr)) {
    return [`${flag} is an address in the network ${formatCidr(network(cidr))}; name that`];
  }
  const { prefixLength } = cidr;
  if (prefixLength >= widest && prefixLength <= narrowest) return [];
  return [
    `${flag} is too ${prefixLength < widest ? "wide" : "small"}: from /${widest} to /${narrowest}`,
  ];
}

/** The networks of this machine's interfaces, except loopback. */
export function machineNetworks(): MachineNetwork[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.flatMap(({ family, internal, cidr }) =>
      family === "IPv4" && !internal && cidr ? [{ name, cidr }] : [],
    ),
  );
}

/** Throws if a timeout is invalid. */
export function checkTimeout(timeoutMs: number): void {
  if (timeoutMs <= 0) throw new CommandFailure("--timeout must be longer than 0s");
}
