import type { Logger } from "#/std/log/log.ts";
import { removeEmptyTables } from "#/std/netfilter/empty-tables.ts";
import { planFilter } from "#/std/netfilter/filter-chains.ts";
import { Firewalld } from "#/std/netfilter/firewalld.ts";
import {
  type IpFamily,
  Iptables,
  iptablesOf,
  isNoProgram,
  lockWait,
} from "#/std/netfilter/iptables.ts";
import { rulesOf } from "#/std/netfilter/iptables-chains.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import {
  concernsFilter,
  type FilterOptions,
  filterChainNames,
  filterChains,
} from "./filter-rules.ts";
import {
  hasMasquerade,
  masqueradeChain,
  masqueradeCommands,
  masqueradeRestore,
  masqueradeTable,
} from "./masquerade.ts";
import { gatewayOf, isIpv6 } from "./network-node.ts";
import { PodGuard } from "./pod-guard.ts";
import type { PodLink } from "./pod-links.ts";
import { hasRefusal, refusalCommands, refusalTable } from "./refusal.ts";
import { guardTables } from "./spoof-rules.ts";
import { hasTunnelRules, tunnelCommands, tunnelTableOf, tunnelTables } from "./tunnel-rules.ts";

const families = ["ip", "ip6"] as const;

/**
 * Chains that the CNI plugin portmap creates for the first pod with a host port, and never removes.
 */
const hostPortChains = ["CNI-HOSTPORT-DNAT", "CNI-HOSTPORT-SETMARK", "CNI-HOSTPORT-MASQ"];

interface PacketRuleOptions extends FilterOptions {
  readonly masquerade: boolean;
  readonly balancerCidrs: readonly string[];
  /** Whether Pods may send only from their own addresses, and nodes alone into the tunnel. */
  readonly antiSpoofing: boolean;
  /** The tunnel's port, and the addresses of its nodes; undefined if there is no tunnel. */
  readonly tunnel: { readonly port: number; readonly nodes: readonly string[] } | undefined;
}

/** The packet rules of the pod network. */
export class PacketRules {
  readonly #run: RunProgram;
  readonly #iptables: Iptables;
  readonly #firewalld: Firewalld;
  readonly #log: Logger;
  readonly #guard: PodGuard;
  #isLackReported = false;

  constructor(run: RunProgram, log: Logger, podLinks: () => Promise<PodLink[]>) {
    this.#run = run;
    this.#guard = new PodGuard(run, podLinks);
    this.#log = log;
    this.#iptables = new Iptables(run);
    this.#firewalld = new Firewalld(run, log);
  }

  /** Whether the kernel reports the removal of all these rules; iptables-legacy reports nothing. */
  areReported(): Promise<boolean> {
    return this.#iptables.areRemovalsReported();
  }

  /** Whether a reported removal may affect these rules. */
  isConcerned(removal: string): boolean {
    return (
      this.#firewalld.noteRemoval(removal) ||
      concernsFilter(removal) ||
      /^delete (table|rule) (ip6?|inet|bridge) k8ts-(network|tunnel|balancers)($| )/.test(
        removal,
      ) ||
      /^delete (table|chain|rule) ip6? nat($| POSTROUTING| K8TS-)/.test(removal)
    );
  }

  /** Writes missing rules. An error of one part does not stop the others. */
  async ensure(options: PacketRuleOptions): Promise<void> {
    const tables = await this.#tables();
    const results = [];
    for (const ip of families) {
      if (!options.podCidrs.some((cidr) => isIpv6(cidr) === (ip === "ip6"))) continue;
      if (options.masquerade) results.push(this.#ensureMasquerade(ip, options));
      results.push(this.#ensureFilter(ip, options));
    }
    if (tables === undefined) this.#reportLack("nft is missing");
    else {
      results.push(this.#ensureGuard(tables, options));
      results.push(this.#ensureTunnelRules(tables, options));
      results.push(this.#ensureRefusal(tables, options.balancerCidrs));
      results.push(this.#firewalld.ensure(tables, options.clusterCidrs));
    }
    const settled = await Promise.allSettled(results);
    const failed = settled.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }

  /** Removes all rules; missing ones are skipped. */
  async remove(clusterCidrs: readonly string[]): Promise<void> {
    const tables = (await this.#tables()) ?? "";
    for (const table of [...guardTables, ...tunnelTables, refusalTable]) {
      await this.#removeTable(tables, table);
    }
    for (const ip of families) {
      const table = ["delete", "table", ip, masqueradeTable];
      await this.#run("nft", table).catch(() => undefined);
      await this.#iptables.removeChains(ip, "filter", () => filterChainNames);
      await this.#iptables.removeChains(ip, "nat", (saved) => [
        masqueradeChain,
        ...(rulesOf(saved, "CNI-HOSTPORT-DNAT").length === 0 ? hostPortChains : []),
      ]);
    }
    await this.#firewalld.remove(tables, clusterCidrs);
    await removeEmptyTables(this.#run);
  }

  /** The tables that nft lists; undefined if nft is missing. */
  async #tables(): Promise<string | undefined> {
    return await this.#run("nft", ["list", "tables"]).catch((error: unknown) => {
      if (isNoProgram(error)) return undefined;
      throw error;
    });
  }

  /** Binds the links of new Pods to their addresses, and forgets those of Pods that are gone. */
  bindPods(): Promise<void> {
    return this.#guard.bindPods();
  }

  async #ensureGuard(tables: string, options: PacketRuleOptions): Promise<void> {
    if (!options.antiSpoofing) {
      await this.#guard.stop();
      for (const table of guardTables) await this.#removeTable(tables, table);
      return;
    }
    try {
      await this.#guard.ensure(options.bridge, options.podCidrs.map(gatewayOf));
    } catch (error) {
      this.#reportLack((error as Error).message);
    }
  }

  /** Only machines without nft, or kernels without its family of bridges, lack these rules. */
  #reportLack(reason: string): void {
    if (this.#isLackReported) return;
    this.#isLackReported = true;
    this.#log.info("cannot guard Pods against false addresses of their neighbours", { reason });
  }

  async #ensureTunnelRules(tables: string, options: PacketRuleOptions): Promise<void> {
    const { tunnel, antiSpoofing, bridge } = options;
    const wanted = antiSpoofing && tunnel ? tunnelTableOf(tunnel.nodes) : undefined;
    for (const table of tunnelTables) {
      if (table !== wanted) await this.#removeTable(tables, table);
    }
    if (tunnel === undefined || wanted === undefined) return;
    const list = ["list", "table", ...wanted.split(" ")];
    const listed = await this.#run("nft", list).catch(() => "");
    if (hasTunnelRules({ ...tunnel, bridge }, listed)) return;
    await this.#run("nft", ["-f", "-"], tunnelCommands({ ...tunnel, bridge }));
  }

  async #removeTable(tables: string, table: string): Promise<void> {
    if (!tables.split("\n").includes(`table ${table}`)) return;
    await this.#run("nft", ["delete", "table", ...table.split(" ")]);
  }

  async #ensureRefusal(tables: string, cidrs: readonly string[]): Promise<void> {
    const list = ["list", "table", ...refusalTable.split(" ")];
    const isThere = tables.includes(refusalTable);
    if (hasRefusal(cidrs, isThere ? await this.#run("nft", list) : "")) return;
    await this.#run("nft", ["-f", "-"], refusalCommands(cidrs));
  }

  async #ensureMasquerade(ip: IpFamily, options: PacketRuleOptions): Promise<void> {
    try {
      const list = ["list", "table", ip, masqueradeTable];
      const listed = await this.#run("nft", list).catch((error: unknown) => {
        if (isNoProgram(error)) throw error;
        return "";
      });
      if (hasMasquerade(ip, options, listed)) return;
      await this.#run("nft", ["-f", "-"], masqueradeCommands(ip, options));
    } catch (error) {
      if (!isNoProgram(error)) throw error;
      await this.#masqueradeByIptables(ip, options);
    }
  }

  async #masqueradeByIptables(ip: IpFamily, options: PacketRuleOptions): Promise<void> {
    const program = iptablesOf(ip);
    await this.#iptables.restore(ip, masqueradeRestore(ip, options));
    const jump = ["POSTROUTING", "-j", masqueradeChain];
    const nat = [...lockWait, "-t", "nat"];
    await this.#run(program, [...nat, "-C", ...jump]).catch(() =>
      this.#run(program, [...nat, "-A", ...jump]),
    );
  }

  async #ensureFilter(ip: IpFamily, options: PacketRuleOptions): Promise<void> {
    const saved = await this.#iptables.save(ip, "filter");
    if (saved === undefined) return;
    const input = planFilter(saved, filterChains(ip, options));
    if (input !== "") await this.#iptables.restore(ip, input);
  }
}
