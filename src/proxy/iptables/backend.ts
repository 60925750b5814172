import type { RunProgram } from "#/std/process/run-program.ts";
import { type Backend, paced, type SyncRequest } from "../base/backend.ts";
import type { ProxyMetrics } from "../base/metrics.ts";
import type { RuleOptions } from "../base/rule-options.ts";
import { baseChains, jumpRules, kubeletJumpRules } from "./base-fragment.ts";
import { iptablesProgram, isRemovalOfEntry, lockWait } from "./iptables-program.ts";
import { ensureCounters } from "./packet-counters.ts";
import { IptRuleset } from "./ruleset.ts";
import { SavedTables } from "./saved-tables.ts";
import { serviceFragment } from "./service-fragment.ts";

/**
 * Number of endpoints above which their rules have no comments, which would be a third of all text.
 */
const largeClusterEndpoints = 1000;

/** An unused chain in every table: if it is missing, another program has removed all rules. */
const canaryChain = "KUBE-PROXY-CANARY";
const canaryTables = ["mangle", "nat", "filter"] as const;

interface IptBackendOptions {
  readonly rules: RuleOptions;
  readonly run: RunProgram;
  readonly metrics: ProxyMetrics;
}

/** Maintains the KUBE- chains of one family with iptables-save and iptables-restore. */
export class IptBackend implements Backend {
  readonly #options: IptBackendOptions;
  readonly #program: string;
  readonly #ruleset = new IptRuleset();
  #counters: ReadonlySet<string> = new Set();

  constructor(options: IptBackendOptions) {
    this.#options = options;
    this.#program = iptablesProgram(options.rules.family);
  }

  async sync({ full, services, addresses, totalEndpoints }: SyncRequest): Promise<void> {
    const { rules } = this.#options;
    if (full) {
      this.#ruleset.clear();
      this.#counters = await ensureCounters(this.#options.run);
    }
    const counters = this.#counters;
    this.#ruleset.setBase(baseChains({ ...rules, counters }, addresses()));
    const options = { ...rules, counters, comments: totalEndpoints <= largeClusterEndpoints };
    for await (const [key, ports] of paced(services)) {
      this.#ruleset.set(key, ports.length > 0 ? serviceFragment(ports, options) : undefined);
    }
    const input = full ? await this.#rebuild() : this.#ruleset.update();
    await this.#restore(input.text(), full);
    const { metrics } = this.#options;
    for (const table of ["filter", "nat"] as const) {
      const labels = { table, ip_family: rules.family };
      metrics.iptablesRules.with(labels).set(this.#ruleset.ruleCount(table));
      metrics.iptablesWritten.with(labels).set(input.rulesWritten(table));
    }
  }

  /** A missing canary shows that a table was removed, a missing jump that it was flushed. */
  async removed(): Promise<boolean> {
    const list = (table: string, chain: string): Promise<string> =>
      this.#options.run(this.#program, [...lockWait, "-t", table, "-S", chain]);
    try {
      await list("mangle", canaryChain);
      const entry = await list("nat", "PREROUTING");
      const last = await list("nat", "KUBE-POSTROUTING");
      return !entry.includes("-j KUBE-SERVICES") || !last.includes("-j MASQUERADE");
    } catch {
      return true;
    }
  }

  isConcerned(removal: string): boolean {
    const { family } = this.#options.rules;
    const ip = family === "IPv4" ? "ip" : "ip6";
    return (
      isRemovalOfEntry(removal, family) ||
      removal.startsWith(`delete table ${ip} mangle`) ||
      removal.startsWith(`delete chain ${ip} mangle ${canaryChain}`)
    );
  }

  async #rebuild() {
    const { run } = this.#options;
    const saved = new SavedTables(await run(`${this.#program}-save`, []));
    for (const table of canaryTables) {
      // Fails if the chain exists, which is fine.
      const args = [...lockWait, "-t", table, "-N", canaryChain];
      await run(this.#program, args).catch(() => undefined);
    }
    return this.#ruleset.rebuild(saved, [...jumpRules, ...kubeletJumpRules]);
  }

  async #restore(text: string, full: boolean): Promise<void> {
    if (text === "") return;
    const { run, metrics, rules } = this.#options;
    try {
      await run(`${this.#program}-restore`, [...lockWait, "--noflush", "--counters"], text);
    } catch (error) {
      metrics.restoreFailures.with({ ip_family: rules.family }).inc();
      if (!full) metrics.partialRestoreFailures.with({ ip_family: rules.family }).inc();
      throw error;
    }
  }
}
