import { resolve } from "node:path";
import { type FlagValues, parseFlags } from "#/std/flags/flags.ts";
import type { logFlags } from "#/std/log/log-flags.ts";
import type { UserFile } from "../access/user-file.ts";
import { familiesOf, listed } from "../base/address-families.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { defaultNodeName } from "../base/default-node-name.ts";
import {
  type ClusterPool,
  choosePool,
  defaultPool,
  poolsOverlap,
} from "../base/load-balancer-pool.ts";
import { ownCommand } from "../base/own-command.ts";
import { defaultClusterName } from "../base/paths.ts";
import {
  type ClusterSettings,
  nodeIps,
  serverPort,
  serverUrl,
  withNodeIp,
} from "../base/settings.ts";
import { namespaceAddresses, planNamespace } from "../machine/network-namespace.ts";
import {
  findAddress,
  hasAddress,
  missingAddressText,
  noAddressText,
} from "../machine/node-address.ts";
import { optionalParts } from "../parts/enabled-parts.ts";
import { checkSettings } from "./check-settings.ts";
import { encryptionChangeText, encryptionProblem } from "./encryption-problem.ts";
import { changedPartArgs, sharedPartArgs } from "./part-args.ts";
import { machineNetworks } from "./settings-problems.ts";
import { etcdOf, keptEtcd, storeName } from "./store-flags.ts";
import { type nodeFlags, type runtimeFlags, type UpFlags, upFlags } from "./up-flags.ts";

interface UpRequest {
  /** The settings of the existing cluster. */
  readonly found: ClusterSettings | undefined;
  readonly flags: UpFlags;
  /** Names of the flags that were given. */
  readonly changed: ReadonlySet<string>;
  readonly user: UserFile;
  /** The pools of load balancers of all clusters of the machine. */
  readonly pools: readonly ClusterPool[];
  /** What the configuration file sets; undefined if there is none. */
  readonly config?: Configured | undefined;
}

interface Configured {
  readonly flagNames: readonly string[];
  readonly documents: Readonly<Record<string, object>>;
}

/** The settings for the start of a cluster: checked, and with the machine's current address. */
export async function upSettings(request: UpRequest): Promise<ClusterSettings> {
  const { found } = request;
  const chosen = found ? keptSettings(found, withResets(found, request)) : newSettings(request);
  const wanted = withConfig(chosen, request.config);
  const problem = found && encryptionProblem(found, wanted.documents);
  if (problem) throw new CommandFailure(problem);
  checkSettings(wanted, found ? [] : networksOf(wanted));
  if (!found || request.changed.has("lb-pool")) checkPool(wanted, request.pools);
  return await withAddress(wanted);
}

/** Of two clusters with the same addresses only one would be reached. */
function checkPool({ name, lbPool }: ClusterSettings, pools: readonly ClusterPool[]): void {
  const other = pools.find((one) => one.cluster !== name && poolsOverlap(one.pool, lbPool));
  if (!other) return;
  const whose = `the pool ${other.pool} of the cluster "${other.cluster}"`;
  throw new CommandFailure(`--lb-pool=${lbPool} overlaps ${whose} on this machine; choose another`);
}

/** A flag that the configuration file has set, and no longer sets, gets its default again. */
function withResets(found: ClusterSettings, request: UpRequest): UpRequest {
  if (!request.config) return request;
  const reset = (found.configuredFlags ?? []).filter((name) => name !== "encrypt-secrets");
  return { ...request, changed: new Set([...request.changed, ...reset]) };
}

/** Without a file, the documents of the last one stay. */
function withConfig(settings: ClusterSettings, config: UpRequest["config"]): ClusterSettings {
  if (!config) return settings;
  const { flagNames: configuredFlags, documents } = config;
  const { encryptsSecrets } = settings;
  const hasKeys = documents["EncryptionConfiguration"] !== undefined;
  return {
    ...settings,
    configuredFlags,
    documents,
    encryptsSecrets: encryptsSecrets === true && !hasKeys,
  };
}

/** The networks that the pods' and the services' networks must not overlap. */
export function networksOf({ name, networkNamespace, podCidr }: ClusterSettings) {
  if (!networkNamespace) return machineNetworks();
  const { cidr, ipv6 } = planNamespace(name, { ipv6: familiesOf(podCidr).includes(6) });
  return [cidr, ...(ipv6 ? [ipv6.cidr] : [])].map((one) => ({ name: "eth0", cidr: one }));
}

/** The settings with the machine's current address; a given address must exist. */
export async function withAddress(settings: ClusterSettings): Promise<ClusterSettings> {
  const { isNodeIpFixed, nodeIp, otherNodeIp, podCidr, networkNamespace } = settings;
  if (networkNamespace) return settings;
  if (isNodeIpFixed) {
    const missing = nodeIps(settings).find((address) => !hasAddress(address));
    if (missing) throw new CommandFailure(missingAddressText(missing));
    return settings;
  }
  const [family = 4, second] = familiesOf(podCidr);
  const address = await findAddress({ podCidr, family, previous: nodeIp });
  if (!address) throw new CommandFailure(noAddressText(family));
  const other = second && (await findAddress({ podCidr, family: second, previous: otherNodeIp }));
  return { ...withNodeIp(settings, address.address), otherNodeIp: other?.address };
}

/** The network of a node: a namespace of its own if its machine may have several, with an address computed from its name. */
export function placeOf(flags: PlaceFlags) {
  const given = flags["node-ip"];
  if (flags.name === defaultClusterName) {
    const unknown = unknownAddress[familiesOf(flags["pod-network-cidr"])[0] ?? 4];
    const [nodeIp = unknown, otherNodeIp] = listed(given);
    return { nodeIp, otherNodeIp, isNodeIpFixed: given !== "" };
  }
  const { namespace } = planNamespace(flags.name);
  const addresses = namespaceAddresses(flags.name, flags["pod-network-cidr"]);
  if (given && given !== addresses.join(",")) {
    throw new CommandFailure(
      `a cluster with --name has a network of its own, in which it is ${addresses.join(",")}: leave out --node-ip`,
    );
  }
  const [nodeIp = "", otherNodeIp] = addresses;
  return { nodeIp, otherNodeIp, isNodeIpFixed: true, networkNamespace: namespace };
}

interface PlaceFlags {
  readonly name: string;
  readonly "node-ip": string;
  readonly "pod-network-cidr": string;
}

/** Placeholders until the machine's address is looked up. */
const unknownAddress = { 4: "0.0.0.0", 6: "::" } as const;

function newSettings({ flags, changed, user, pools }: UpRequest): ClusterSettings {
  const taken = pools.map(({ pool }) => pool);
  const place = placeOf(flags);
  return {
    ...place,
    name: flags.name,
    role: "server",
    nodeName: flags["node-name"] || defaultNodeName(flags.name),
    server: serverUrl(place.nodeIp, flags["secure-port"]),
    virtualAddress: flags["virtual-address"] || undefined,
    serverNames: flags["tls-san"],
    podCidr: flags["pod-network-cidr"],
    serviceCidr: flags["service-cidr"],
    clusterDomain: flags["service-dns-domain"],
    lbPool: flags["lb-pool"] || defaultPools(flags.name, flags["pod-network-cidr"], taken),
    lbAnnounce: flags["lb-announce"],
    registryMirrors: mirrorsOf(flags),
    proxyMode: flags["proxy-mode"],
    antiSpoofing: flags["anti-spoofing"],
    disabled: flags.disable,
    ...runtimeSettings(flags),
    kubeconfigs: [user.path],
    verbosity: flags.v,
    logFormat: flags["logging-format"],
    partArgs: changedPartArgs(undefined, flags, changed),
    // Others that read the etcd of the user do not have the key.
    encryptsSecrets: flags["encrypt-secrets"] && flags["etcd-servers"].length === 0,
    etcd: etcdOf(flags),
    audit: flags.audit,
    manifests: foldersOf(flags.manifests),
  };
}

/** The settings that a new cluster would have without any flag. */
export function plannedSettings(name: string): ClusterSettings {
  const { values: flags } = parseFlags(upFlags, [`--name=${name}`]);
  const user = { path: "", owner: undefined, isAsked: false };
  return newSettings({ found: undefined, flags, changed: new Set(), user, pools: [] });
}

export const defaultPools = (
  cluster: string,
  podCidr: string,
  taken: readonly string[] = [],
): string => choosePool(cluster, familiesOf(podCidr), taken);

/** The runtime of a new node. */
export function runtimeSettings(flags: FlagValues<typeof runtimeFlags>) {
  const { runtime, "runtime-dir": folder, "container-runtime-endpoint": endpoint } = flags;
  return {
    runtime,
    runtimeFolder: folder === "" ? undefined : resolve(folder),
    runtimeEndpoint: endpoint || undefined,
  };
}

/** The settings of an existing cluster stay; its address, names, logging and kubeconfig may change. */
function keptSettings(
  found: ClusterSettings,
  { flags, changed, user }: Pick<UpRequest, "flags" | "changed" | "user">,
): ClusterSettings {
  const fixed = {
    "pod-network-cidr": found.podCidr,
    "service-cidr": found.serviceCidr,
    "service-dns-domain": found.clusterDomain,
    "node-name": found.nodeName,
    "secure-port": serverPort(found.server),
    "encrypt-secrets": found.encryptsSecrets ?? false,
    runtime: found.runtime,
    "container-runtime-endpoint": found.runtimeEndpoint ?? "",
  };
  for (const [name, value] of Object.entries(fixed)) {
    const wanted = flags[name as keyof typeof fixed];
    if (!changed.has(name) || wanted === value) continue;
    throw new CommandFailure(
      name === "encrypt-secrets"
        ? encryptionChangeText(found)
        : `the cluster was made with --${name}=${value}; to change it: ${ownCommand("down --purge", found.name)}, then ${ownCommand("up", found.name)}`,
    );
  }
  const etcd = keptEtcd(found.etcd, flags, changed);
  if (etcd === "refused") {
    const store = storeName(found.etcd);
    const flag = found.etcd ? "--to-embedded" : "--to-etcd";
    throw new CommandFailure(
      found.etcd?.servers
        ? `the cluster has its objects in ${store}; to move them, save it and restore it elsewhere: ${ownCommand("snapshot save", found.name)}`
        : `the cluster has its objects in ${store}; to move them: ${ownCommand(`migrate ${flag}`, found.name)}`,
    );
  }
  const getsContext = found.role === "server" && (user.isAsked || found.kubeconfigs.length === 0);
  return {
    ...changedNode(found, flags, changed),
    manifests: changed.has("manifests") ? foldersOf(flags.manifests) : found.manifests,
    audit: changed.has("audit") ? flags.audit : found.audit,
    virtualAddress: changed.has("virtual-address")
      ? flags["virtual-address"] || undefined
      : found.virtualAddress,
    serverNames: changed.has("tls-san") ? flags["tls-san"] : found.serverNames,
    lbPool: changed.has("lb-pool")
      ? flags["lb-pool"] || defaultPools(found.name, found.podCidr)
      : found.lbPool,
    etcd,
    kubeconfigs: getsContext ? [...new Set([...found.kubeconfigs, user.path])] : found.kubeconfigs,
  };
}

/** Absolute, as the server runs elsewhere; an empty value means none. */
const foldersOf = (given: readonly string[]): readonly string[] =>
  given.filter((folder) => folder !== "").map((folder) => resolve(folder));

/** An empty value means none. */
export const mirrorsOf = (flags: FlagValues<typeof nodeFlags>): readonly string[] =>
  flags["registry-mirror"].filter((text) => text !== "");

/** The settings of a node, with changes that `up` and `join` allow. */
export function changedNode(
  found: ClusterSettings,
  flags: FlagValues<typeof nodeFlags & typeof logFlags>,
  changed: ReadonlySet<string>,
): ClusterSettings {
  return {
    ...(changed.has("node-ip") ? movedTo(found, flags["node-ip"]) : found),
    proxyMode: changed.has("proxy-mode") ? flags["proxy-mode"] : found.proxyMode,
    antiSpoofing: changed.has("anti-spoofing") ? flags["anti-spoofing"] : found.antiSpoofing,
    lbAnnounce: changed.has("lb-announce") ? flags["lb-announce"] : found.lbAnnounce,
    registryMirrors: changed.has("registry-mirror") ? mirrorsOf(flags) : found.registryMirrors,
    // Another version may have had parts that this one lacks.
    disabled: changed.has("disable") ? flags.disable : found.disabled.filter(isOptional),
    ...(changed.has("runtime-dir") && {
      runtimeFolder: runtimeSettings(flags).runtimeFolder,
    }),
    verbosity: changed.has("v") ? flags.v : found.verbosity,
    logFormat: changed.has("logging-format") ? flags["logging-format"] : found.logFormat,
    partArgs: changedPartArgs(found.partArgs, flags, changed),
  };
}

const isOptional = (part: string): boolean => optionalParts.includes(part);

/** The settings of a node on the server's machine, derived from the server's. */
export function followServer(node: ClusterSettings, server: ClusterSettings): ClusterSettings {
  const { server: url, proxyMode, antiSpoofing, disabled, lbPool, lbAnnounce } = server;
  const { verbosity, logFormat, documents, registryMirrors } = server;
  const shared = { proxyMode, antiSpoofing, disabled, lbPool, lbAnnounce, verbosity, logFormat };
  const partArgs = sharedPartArgs(server.partArgs);
  return { ...node, server: url, ...shared, registryMirrors, documents, partArgs };
}

/** The flags for other machines to join a cluster, if its settings are not the defaults. */
export function joinOptions(settings: ClusterSettings): string[] {
  const { podCidr, serviceCidr, clusterDomain, proxyMode, antiSpoofing, lbPool, disabled } =
    settings;
  const values = {
    "pod-network-cidr": podCidr,
    "service-cidr": serviceCidr,
    "service-dns-domain": clusterDomain,
    "proxy-mode": proxyMode,
    "anti-spoofing": antiSpoofing,
  } as const;
  const changed = Object.entries(values).filter(
    ([name, value]) => upFlags[name as keyof typeof values].default !== value,
  );
  const options = changed.map(([name, value]) => `--${name}=${value}`);
  if (lbPool !== defaultPool) options.push(`--lb-pool=${lbPool}`);
  if (settings.lbAnnounce) options.push("--lb-announce");
  return disabled.length > 0 ? [...options, `--disable=${disabled.join(",")}`] : options;
}

/** An empty address means the machine's, looked up at each start from now on. */
function movedTo(found: ClusterSettings, given: string): ClusterSettings {
  const { name, podCidr } = found;
  const flags = { name, "node-ip": given, "pod-network-cidr": podCidr };
  const { nodeIp, ...place } = placeOf(flags);
  return { ...withNodeIp(found, given === "" ? found.nodeIp : nodeIp), ...place };
}
