import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mayMakeNamespaces, type NetworkNamespace } from "#/testing/network-namespace.ts";
import { nodeIps } from "./objects.ts";

export type ProxyMode = "nftables" | "iptables" | "ipvs";

/** The modes, and why the tests of each can't run here, if they can't. */
export const proxyModes: readonly { mode: ProxyMode; options: { skip: string | false } }[] = [
  { mode: "nftables", options: { skip: !mayMakeNamespaces && "needs root" } },
  { mode: "iptables", options: { skip: !mayMakeNamespaces && "needs root" } },
  { mode: "ipvs", options: { skip: !hasIpvs() && "needs root, and a kernel with ipvs" } },
];

function hasIpvs(): boolean {
  if (mayMakeNamespaces) spawnSync("modprobe", ["ip_vs"]);
  return mayMakeNamespaces && existsSync("/proc/net/ip_vs");
}

/** Rules by chain (`table chain` for iptables), and elements by set or map, each in order. */
export type RuleListing = Record<string, string[]>;

/** Gives a namespace the addresses of the node in objects.ts. */
export async function prepareNode(namespace: NetworkNamespace): Promise<void> {
  await namespace.sh(`
    ip link add br0 type bridge
    ip link set br0 up
    ip addr add ${nodeIps.IPv4}/24 dev br0
    ip addr add ${nodeIps.IPv6}/64 dev br0 nodad
  `);
}

/** The kernel's rules of a proxy, in a form in which two proxies can be compared. */
export async function listRules(
  namespace: NetworkNamespace,
  mode: ProxyMode,
): Promise<RuleListing> {
  const listing: RuleListing = mode === "ipvs" ? await ipvsListing(namespace) : {};
  const commands =
    mode === "nftables"
      ? ["nft -s list table ip kube-proxy", "nft -s list table ip6 kube-proxy"]
      : ["iptables-save", "ip6tables-save"];
  for (const command of commands) {
    const family = command.includes("6") ? "IPv6" : "IPv4";
    const text = await namespace.sh(command);
    const found = mode === "nftables" ? nftListing(text) : iptablesListing(text);
    for (const [name, lines] of found) listing[`${family} ${name}`] = lines;
  }
  return Object.fromEntries(Object.entries(listing).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Chains with their rules; sets and maps with their declaration and sorted elements. */
function nftListing(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [, kind = "", name = "", body = ""] of text.matchAll(
    /^\t(chain|set|map) (\S+) \{\n(.*?)^\t\}/gms,
  )) {
    const [declared = "", elements = ""] = body.split("elements = {");
    const lines = declared.split("\n").map((line) => line.trim());
    const items = elements.replace(/\}\s*$/, "").split(",");
    const sorted = items.map((item) => item.trim().replaceAll(/\s+/g, " ")).sort();
    found.set(
      `${kind} ${name}`,
      [...lines, ...sorted].filter((line) => line !== ""),
    );
  }
  return found;
}

/** Sets with their sorted entries, virtual servers with their real ones, and the addresses of services. */
async function ipvsListing(namespace: NetworkNamespace): Promise<RuleListing> {
  const found: RuleListing = {};
  for (const line of (await namespace.sh("ipset save")).split("\n")) {
    const [command, name = "", ...rest] = line.split(" ");
    // The kernel chooses bucketsize and initval.
    const text = rest.join(" ").replace(/ (bucketsize|initval) .*/, "");
    if (command === "create") found[`ipset ${name}`] = [text];
    else if (command === "add") found[`ipset ${name}`]?.push(text);
  }
  let server = "";
  for (const line of (await namespace.sh("ipvsadm -Sn")).split("\n")) {
    const [, command, address = "", rest = ""] = /^-(A|a) (-\S+ \S+) (.*)/.exec(line) ?? [];
    if (command === "A") server = `ipvs ${address}`;
    if (command !== undefined) found[server] = [...(found[server] ?? []), rest.trim()];
  }
  const addresses = await namespace.sh("ip -o address show dev kube-ipvs0");
  found["address kube-ipvs0"] = [...addresses.matchAll(/ inet6? (\S+) .*/g)].map(
    ([, address = ""]) => address,
  );
  for (const lines of Object.values(found)) lines.sort();
  return found;
}

/**
 * Chains that services fill have their rules sorted, because their order has no effect.
 */
function iptablesListing(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let table = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("*")) table = line.slice(1);
    const chain = /^:(\S+)/.exec(line)?.[1];
    if (chain !== undefined) found.set(`${table} ${chain}`, []);
    const [, of, rule] = /^-A (\S+) (.*)/.exec(line) ?? [];
    if (of !== undefined && rule !== undefined) found.get(`${table} ${of}`)?.push(rule);
  }
  for (const [name, rules] of found) {
    if (/ KUBE-(SERVICES|EXTERNAL-SERVICES|NODEPORTS|PROXY-FIREWALL)$/.test(name)) rules.sort();
  }
  return found;
}
