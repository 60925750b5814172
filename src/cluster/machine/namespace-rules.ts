import type { KernelChange } from "#/std/kernel/kernel-changes.ts";
import type { Logger } from "#/std/log/log.ts";
import { removeEmptyTables } from "#/std/netfilter/empty-tables.ts";
import { type FilterChain, planFilter } from "#/std/netfilter/filter-chains.ts";
import { Firewalld } from "#/std/netfilter/firewalld.ts";
import { Iptables } from "#/std/netfilter/iptables.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { NamespacePlan } from "./network-namespace.ts";

/** A rarely used range: each namespace has four addresses of it. */
export const namespaceRange = "10.191.0.0/16";

/** The protocol number that marks these routes in the kernel; routes of Pods and load balancers have 107 and 108. */
const routeProtocol = "109";

const forwarding = "/proc/sys/net/ipv4/ip_forward";

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
  readonly #record: (change: KernelChange) => void;

  /** Programs are run in the machine's network; changes of the kernel are recorded before they are made. */
  constructor(plan: NamespacePlan, { run, log, record }: RulesOptions) {
    this.#plan = plan;
    this.#run = run;
    this.#record = record;
    this.#iptables = new Iptables(run);
    this.#firewalld = new Firewalld(run, log);
    this.#chains = namespaceChains(plan);
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
      /^delete (table|chain|rule) ip (\S+)( (\S+))?/.exec(removal) ?? [];
    if (what === table) return true;
    if (what !== "filter") return false;
    const isOurs = this.#chains.some(({ name, from }) => chain === name || chain === from);
    return verb === "table" || isOurs;
  }

  /** Adds missing rules. Each part is tried, even if others fail. */
  async ensure(): Promise<void> {
    const parts = [
      this.#forward(),
      this.#masquerade(),
      this.#accept(),
      this.#trust(),
      this.#route(),
    ];
    const settled = await Promise.allSettled(parts);
    const failed = settled.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }

  /** Removes all of them; missing ones are ignored. */
  async remove(): Promise<void> {
    const { table, cidr } = this.#plan;
    const tables = await this.#run("nft", ["list", "tables"]).catch(() => "");
    await this.#run("nft", ["delete", "table", "ip", table]).catch(() => undefined);
    const names = this.#chains.map(({ name }) => name);
    await this.#iptables.removeChains("ip", "filter", () => names);
    await this.#firewalld.remove(tables, [cidr]);
    await removeEmptyTables(this.#run);
  }

  async #forward(): Promise<void> {
    const before = (await this.#run("cat", [forwarding])).trim();
    if (before === "1") return;
    const network = (await this.#run("readlink", ["/proc/self/ns/net"])).trim();
    this.#record({ file: forwarding, before, after: "1", network });
    await this.#run("sh", ["-c", 'echo 1 >"$0"', forwarding]);
  }

  /** The routes disappear with the link. Those of an earlier pool are removed. */
  async #route(): Promise<void> {
    const { routed, nodeAddress, link } = this.#plan;
    const ours = ["dev", link, "proto", routeProtocol];
    for (const cidr of routed) {
      await this.#run("ip", ["route", "replace", cidr, "via", nodeAddress, ...ours]);
    }
    const text = await this.#run("ip", ["-4", "-j", "route", "show", ...ours]);
    const listed = text.trim() === "" ? [] : (JSON.parse(text) as { readonly dst: string }[]);
    const wanted = new Set(routed.map((cidr) => cidr.replace(/\/32$/, "")));
    for (const { dst } of listed) {
      if (!wanted.has(dst)) await this.#run("ip", ["-4", "route", "del", dst, ...ours]);
    }
  }

  async #masquerade(): Promise<void> {
    const { table, cidr } = this.#plan;
    const listed = await this.#run("nft", ["list", "table", "ip", table]).catch(() => "");
    if (listed.includes(cidr) && listed.includes("masquerade")) return;
    await this.#run("nft", ["-f", "-"], masqueradeCommands(this.#plan));
  }

  async #accept(): Promise<void> {
    const saved = await this.#iptables.save("ip", "filter");
    if (saved === undefined) return;
    const input = planFilter(saved, this.#chains);
    if (input !== "") await this.#iptables.restore("ip", input);
  }

  async #trust(): Promise<void> {
    const tables = await this.#run("nft", ["list", "tables"]);
    await this.#firewalld.ensure(tables, [this.#plan.cidr]);
  }
}

/** Accepts the cluster's packets, like those of Pods in the machine's own network, also to the machine itself. */
function namespaceChains({ link, cidr }: NamespacePlan): FilterChain[] {
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

function masqueradeCommands({ table, cidr, link }: NamespacePlan): string {
  return [
    `add table ip ${table}`,
    `delete table ip ${table}`,
    `add table ip ${table}`,
    `add chain ip ${table} leaving { type nat hook postrouting priority srcnat; }`,
    // Packets between clusters, and between nodes of one, keep their source address.
    `add rule ip ${table} leaving ip saddr ${cidr} ip daddr != ${namespaceRange} oifname != "${link}" masquerade`,
    "",
  ].join("\n");
}
