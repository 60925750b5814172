import type { KernelChange } from "#/std/kernel/kernel-changes.ts";
import { acceptRoutes, routerLinks } from "#/std/kernel/router-links.ts";
import type { Logger } from "#/std/log/log.ts";
import { type Cidr, formatCidr } from "#/std/net/cidr.ts";
import { removeEmptyTables } from "#/std/netfilter/empty-tables.ts";
import { type FilterChain, planFilter } from "#/std/netfilter/filter-chains.ts";
import { Firewalld } from "#/std/netfilter/firewalld.ts";
import { type IpFamily, Iptables } from "#/std/netfilter/iptables.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { NamespacePlan } from "./network-namespace.ts";

/** A rarely used range: each namespace has four addresses of it. */
export const namespaceRange = "10.191.0.0/16";
/** The same of IPv6: a range for private networks, with a number that is ours. */
export const namespaceRange6: Cidr = {
  ip: { family: 6, value: 0xfd6b_3874_7300n << 80n },
  prefixLength: 48,
};

const families = ["ip", "ip6"] as const;

/** The protocol number that marks these routes in the kernel; routes of Pods and load balancers have 107 and 108. */
const routeProtocol = "109";

const forwarding = {
  ip: "/proc/sys/net/ipv4/ip_forward",
  ip6: "/proc/sys/net/ipv6/conf/all/forwarding",
};

interface RulesOptions {
  readonly run: RunProgram;
  readonly log: Logger;
  readonly record: (change: KernelChange) => void;
}

/**
 * The rules for a cluster's namespace in the machine's network: packets are forwarded, masqueraded when they leave the machine,
 * and accepted by firewalls that drop by default, such as Docker's and ufw's.
 */
export class NamespaceRules {
  readonly #plan: NamespacePlan;
  readonly #run: RunProgram;
  readonly #iptables: Iptables;
  readonly #firewalld: Firewalld;
  readonly #chains: readonly FilterChain[];
  readonly #chains6: readonly FilterChain[];
  readonly #record: (change: KernelChange) => void;

  /** Programs are run in the machine's network; changes of the kernel are recorded before they are made. */
  constructor(plan: NamespacePlan, { run, log, record }: RulesOptions) {
    this.#plan = plan;
    this.#run = run;
    this.#record = record;
    this.#iptables = new Iptables(run);
    this.#firewalld = new Firewalld(run, log);
    this.#chains = namespaceChains(plan.link, plan.cidr);
    this.#chains6 = plan.ipv6 ? namespaceChains(plan.link, plan.ipv6.cidr) : [];
  }

  /** True if the kernel reports the removal of all of these rules. */
  areReported(): Promise<boolean> {
    return this.#iptables.areRemovalsReported();
  }

  /** True if a reported removal may concern these rules. */
  isConcerned(removal: string): boolean {
    const { table } = this.#plan;
    if (this.#firewalld.noteRemoval(removal)) return true;
    const [, verb = "", what = "", , chain] =
      /^delete (table|chain|rule) ip6? (\S+)( (\S+))?/.exec(removal) ?? [];
    if (what === table) return true;
    if (what !== "filter") return false;
    const isOurs = this.#chains.some(({ name, from }) => chain === name || chain === from);
    return verb === "table" || isOurs;
  }

  /** Adds missing rules. Each part is tried, even if others fail. */
  async ensure(): Promise<void> {
    const own = families.filter((ip) => ip === "ip" || this.#plan.ipv6);
    const parts = [
      ...own.flatMap((ip) => [this.#forward(ip), this.#masquerade(ip), this.#accept(ip)]),
      this.#trust(),
      this.#route(),
    ];
    const settled = await Promise.allSettled(parts);
    const failed = settled.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }

  /** Removes all of them; missing ones are ignored. */
  async remove(): Promise<void> {
    const tables = await this.#run("nft", ["list", "tables"]).catch(() => "");
    const names = this.#chains.map(({ name }) => name);
    for (const ip of families) {
      await this.#run("nft", ["delete", "table", ip, this.#plan.table]).catch(() => undefined);
      await this.#iptables.removeChains(ip, "filter", () => names);
    }
    await this.#firewalld.remove(tables, this.#cidrs);
    await removeEmptyTables(this.#run);
  }

  get #cidrs(): string[] {
    const { cidr, ipv6 } = this.#plan;
    return ipv6 ? [cidr, ipv6.cidr] : [cidr];
  }

  async #forward(ip: IpFamily): Promise<void> {
    if (ip === "ip6") {
      // The machine keeps the routes that it has from routers.
      for (const link of await routerLinks(this.#run)) {
        await this.#set(`/proc/sys/${acceptRoutes(link)}`, "1", "2");
      }
    }
    await this.#set(forwarding[ip], "0", "1");
  }

  /** Changes a value of the kernel from one to another. */
  async #set(file: string, from: string, after: string): Promise<void> {
    const before = (await this.#run("cat", [file])).trim();
    if (before !== from) return;
    const network = (await this.#run("readlink", ["/proc/self/ns/net"])).trim();
    this.#record({ file, before, after, network });
    await this.#run("sh", ["-c", 'echo "$1" >"$0"', file, after]);
  }

  /** The routes disappear with the link. Those of an earlier pool are removed. */
  async #route(): Promise<void> {
    const { routed, nodeAddress, ipv6, link } = this.#plan;
    const ours = ["dev", link, "proto", routeProtocol];
    const wanted = new Set(routed.map((cidr) => cidr.replace(/\/(32|128)$/, "")));
    for (const [family, via] of [
      ["-4", nodeAddress],
      ["-6", ipv6?.nodeAddress],
    ] as const) {
      if (via === undefined) continue;
      for (const cidr of routed.filter((one) => one.includes(":") === (family === "-6"))) {
        await this.#run("ip", [family, "route", "replace", cidr, "via", via, ...ours]);
      }
      const text = await this.#run("ip", [family, "-j", "route", "show", ...ours]);
      const listed = text.trim() === "" ? [] : (JSON.parse(text) as { readonly dst: string }[]);
      for (const { dst } of listed) {
        if (!wanted.has(dst)) await this.#run("ip", [family, "route", "del", dst, ...ours]);
      }
    }
  }

  async #masquerade(ip: IpFamily): Promise<void> {
    const { table, cidr, ipv6 } = this.#plan;
    const own = ip === "ip" ? cidr : (ipv6?.cidr ?? "");
    const listed = await this.#run("nft", ["list", "table", ip, table]).catch(() => "");
    if (listed.includes(own) && listed.includes("masquerade")) return;
    await this.#run("nft", ["-f", "-"], masqueradeCommands(ip, own, this.#plan));
  }

  async #accept(ip: IpFamily): Promise<void> {
    const saved = await this.#iptables.save(ip, "filter");
    if (saved === undefined) return;
    const input = planFilter(saved, ip === "ip" ? this.#chains : this.#chains6);
    if (input !== "") await this.#iptables.restore(ip, input);
  }

  async #trust(): Promise<void> {
    const tables = await this.#run("nft", ["list", "tables"]);
    await this.#firewalld.ensure(tables, this.#cidrs);
  }
}

/** Accepts the cluster's packets, like those of Pods in the machine's own network, also to the machine itself. */
function namespaceChains(link: string, cidr: string): FilterChain[] {
  // Limit of a chain's name: 28 characters.
  const id = link.replace(/^k8ts/, "");
  const shared = { comment: `k8ts network ${link}`, after: "KUBE-" };
  return [
    {
      name: `K8TS-FORWARD-${id}`,
      from: "FORWARD",
      ...shared,
      rules: [`-i ${link} -j ACCEPT`, `-o ${link} -j ACCEPT`],
    },
    {
      name: `K8TS-INPUT-${id}`,
      from: "INPUT",
      ...shared,
      rules: [`-s ${cidr} -i ${link} -j ACCEPT`],
    },
  ];
}

function masqueradeCommands(ip: IpFamily, cidr: string, { table, link }: NamespacePlan): string {
  const range = ip === "ip" ? namespaceRange : formatCidr(namespaceRange6);
  return [
    `add table ${ip} ${table}`,
    `delete table ${ip} ${table}`,
    `add table ${ip} ${table}`,
    `add chain ${ip} ${table} leaving { type nat hook postrouting priority srcnat; }`,
    // Packets between clusters, and between nodes of one, keep their source address.
    `add rule ${ip} ${table} leaving ${ip} saddr ${cidr} ${ip} daddr != ${range} oifname != "${link}" masquerade`,
    "",
  ].join("\n");
}
