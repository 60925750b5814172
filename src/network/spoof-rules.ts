/**
 * Rules for frames of Pods. A port that is bound to its Pod sends only from the Pod's addresses, and advertises no
 * others (nft's family of bridges). A port that is not bound yet sends nothing to bound ones, takes no address of theirs
 * or of the gateway, and none of its packets leaves the bridge (family inet). Sets, not rules, grow with the Pods.
 */
import { parseIp } from "#/std/net/ip.ts";
import { linkLocalOf } from "#/std/net/link-local.ts";
import { masqueradeTable } from "./masquerade.ts";
import { isIpv6 } from "./network-node.ts";
import type { PodLink } from "./pod-links.ts";

/** Our tables: for frames within the bridge, and for packets that leave it. */
export const guardTables = [`bridge ${masqueradeTable}`, `inet ${masqueradeTable}`] as const;

const [frames, packets] = guardTables;

/** The target of a neighbour advertisement; old releases of nft have no name for it. */
const target = "@th,64,128";

const sets: readonly (readonly [table: string, name: string, type: string])[] = [
  [frames, "ports", "iifname"],
  [frames, "macs", "iifname . ether saddr"],
  [frames, "sources4", "iifname . ip saddr"],
  [frames, "sources6", "iifname . ip6 saddr"],
  [frames, "targets", `iifname . ${target}`],
  [frames, "taken-macs", "ether saddr"],
  [frames, "taken4", "ip saddr"],
  [frames, "taken6", "ip6 saddr"],
  [frames, "taken-targets", target],
  [packets, "known4", "ip saddr"],
  [packets, "known6", "ip6 saddr"],
];

/** The rules of ports that are bound. */
const boundRules = [
  // Tags would hide a frame from the rules below, and the receiver drops a tag of 0.
  "ether type != { arp, ip, ip6 }",
  "iifname . ether saddr != @macs",
  "iifname . arp saddr ether != @macs",
  // Without an address yet, a machine asks whether another has it.
  "arp saddr ip != 0.0.0.0 iifname . arp saddr ip != @sources4",
  "iifname . ip saddr != @sources4",
  "ip6 saddr != :: iifname . ip6 saddr != @sources6",
  "icmpv6 type { nd-router-advert, nd-redirect }",
  `icmpv6 type nd-neighbor-advert iifname . ${target} != @targets`,
];

/**
 * The rules of all other ports; they may belong to other programs' bridges, as not every kernel lets a rule name the
 * bridge of a frame.
 */
const otherRules = [
  "vlan id 0",
  "ether saddr @taken-macs",
  "arp saddr ip @taken4",
  "ip saddr @taken4",
  "ip6 saddr @taken6",
  `icmpv6 type nd-neighbor-advert ${target} @taken-targets`,
];

/** A frame to a bound port comes from a port of the same bridge. */
const forwardRule = "oifname @ports iifname != @ports goto spoofed";

/** Packets of unbound ports that leave the bridge; one without an address yet asks by `::` whether another has it. */
const packetRules = (bridge: string) => [
  `iifname "${bridge}" ip saddr != @known4`,
  `iifname "${bridge}" ip6 saddr != { ::, fe80::/10 } ip6 saddr != @known6`,
];

/** What the sets contain: addresses of the gateway, and of bound Pods. */
interface Binding {
  readonly bridge: string;
  readonly gateways: readonly string[];
  readonly links: readonly PodLink[];
}

/** Input of nft that writes the tables. */
export function guardCommands(binding: Binding): string {
  const add = (what: string) => `add ${what}`;
  const rules = (chain: string, matches: readonly string[]) =>
    matches.map((match) => add(`rule ${frames} ${chain} ${match} goto spoofed`));
  const hook = (table: string, name: string, priority: number) =>
    add(`chain ${table} ${name} { type filter hook ${name} priority ${priority}; }`);
  return [
    ...guardTables.flatMap((table) => [
      add(`table ${table}`),
      `delete table ${table}`,
      add(`table ${table}`),
    ]),
    ...sets.map(([table, name, type]) => add(`set ${table} ${name} { typeof ${type}; }`)),
    ...["spoofed", "bound", "others"].map((chain) => add(`chain ${frames} ${chain}`)),
    hook(frames, "prerouting", -300),
    hook(frames, "forward", -200),
    hook(packets, "prerouting", -300),
    add(`rule ${frames} spoofed counter drop`),
    ...rules("bound", boundRules),
    ...rules("others", otherRules),
    add(`rule ${frames} prerouting iifname @ports goto bound`),
    add(`rule ${frames} prerouting iifname "veth*" goto others`),
    add(`rule ${frames} forward ${forwardRule}`),
    ...packetRules(binding.bridge).map((match) =>
      add(`rule ${packets} prerouting ${match} counter drop`),
    ),
    ...[...elementsOf(binding)].map((element) => elementCommand("add", element)),
    "",
  ].join("\n");
}

/** Input of nft that changes the sets; empty if nothing changes. */
export function guardChange(written: ReadonlySet<string>, binding: Binding): string {
  const wanted = elementsOf(binding);
  return [
    ...[...written].filter((one) => !wanted.has(one)).map((one) => elementCommand("delete", one)),
    ...[...wanted].filter((one) => !written.has(one)).map((one) => elementCommand("add", one)),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** The elements of all sets, as "SET ELEMENT". */
export function elementsOf({ gateways, links }: Binding): Set<string> {
  const elements: string[] = [];
  const take = (ip: string) => {
    const version = isIpv6(ip) ? 6 : 4;
    elements.push(`taken${version} ${ip}`, `known${version} ${ip}`);
    if (version === 6) elements.push(`taken-targets ${targetText(ip)}`);
  };
  gateways.forEach(take);
  for (const { name, mac, ips } of links) {
    const port = `"${name}"`;
    elements.push(`ports ${port}`, `macs ${port} . ${mac}`, `taken-macs ${mac}`);
    for (const ip of [...ips, linkLocalOf(mac)]) {
      take(ip);
      elements.push(`sources${isIpv6(ip) ? 6 : 4} ${port} . ${ip}`);
      if (isIpv6(ip)) elements.push(`targets ${port} . ${targetText(ip)}`);
    }
  }
  return new Set(elements);
}

/** Whether the tables that nft lists have these rules and elements. */
export function hasGuard(binding: Binding, listed: readonly string[]): boolean {
  const [frameText = "", packetText = ""] = listed;
  const lines = frameText.split("\n");
  const rules = lines.filter((line) => line.endsWith("goto spoofed")).length;
  // Targets are listed as numbers; they are written together with the addresses.
  const shown = [...elementsOf(binding)].filter((element) => !/^(taken-)?targets /.test(element));
  return (
    rules === boundRules.length + otherRules.length + 1 &&
    frameText.includes("counter packets") &&
    frameText.includes("iifname @ports goto bound") &&
    frameText.includes('iifname "veth*" goto others') &&
    packetText.split(`iifname "${binding.bridge}" `).length === 3 &&
    shown.every((element) => {
      const [set, value] = splitElement(element);
      return (set.startsWith("known") ? packetText : frameText).includes(value);
    })
  );
}

function splitElement(element: string): readonly [set: string, value: string] {
  const at = element.indexOf(" ");
  return [element.slice(0, at), element.slice(at + 1)];
}

function elementCommand(verb: "add" | "delete", element: string): string {
  const [set, value] = splitElement(element);
  return `${verb} element ${set.startsWith("known") ? packets : frames} ${set} { ${value} }`;
}

const targetText = (ip: string): string =>
  `0x${(parseIp(ip)?.value ?? 0n).toString(16).padStart(32, "0")}`;
