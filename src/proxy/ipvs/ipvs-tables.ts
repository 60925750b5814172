import type { RunProgram } from "#/std/process/run-program.ts";
import type { ProxyMetrics } from "../base/metrics.ts";
import type { RuleOptions } from "../base/rule-options.ts";
import { iptablesProgram, isRemovalOfEntry, lockWait } from "../iptables/iptables-program.ts";
import { RestoreInput } from "../iptables/restore-input.ts";
import { SavedTables } from "../iptables/saved-tables.ts";
import { type IpvsChain, ipvsChains, ipvsJumps } from "./chains.ts";
import type { IpvsRuleset } from "./ruleset.ts";

interface IpvsTablesOptions {
  readonly rules: RuleOptions;
  readonly run: RunProgram;
  readonly metrics: ProxyMetrics;
}

/** The rules of iptables that ipvs needs: masquerade and access filters, with sets as operands. */
export class IpvsTables {
  readonly #options: IpvsTablesOptions;
  readonly #program: string;
  /** The rules of each chain as last written. */
  readonly #written = new Map<string, string>();

  constructor(options: IpvsTablesOptions) {
    this.#options = options;
    this.#program = iptablesProgram(options.rules.family);
  }

  /** Writes chains that have changed, or all of them with the jumps to them. */
  async write(ruleset: IpvsRuleset, full: boolean): Promise<void> {
    const { run, metrics, rules } = this.#options;
    if (full) this.#written.clear();
    const chains = ipvsChains(rules, ruleset).filter(
      (chain) => this.#written.get(idOf(chain)) !== chain.rules.join("\n"),
    );
    const input = new RestoreInput();
    for (const { table, name, rules: lines } of chains) input.setChain(table, name, lines);
    if (full) {
      const saved = new SavedTables(await run(`${this.#program}-save`, []));
      for (const jump of ipvsJumps) if (!saved.hasJump(jump)) input.insertJump(jump);
    }
    const text = input.text();
    if (text === "") return;
    try {
      await run(`${this.#program}-restore`, [...lockWait, "--noflush", "--counters"], text);
    } catch (error) {
      metrics.restoreFailures.with({ ip_family: rules.family }).inc();
      throw error;
    }
    for (const chain of chains) this.#written.set(idOf(chain), chain.rules.join("\n"));
  }

  /** Whether another program has removed chains or jumps to them. */
  async removed(): Promise<boolean> {
    const text = await this.#options.run(`${this.#program}-save`, []);
    const saved = new SavedTables(text);
    const isComplete =
      ipvsJumps.every((jump) => saved.hasJump(jump)) &&
      [...this.#written].every(([id, rules]) => {
        const [table, name] = id.split(" ") as ["nat" | "filter", string];
        return saved.chains(table).has(name) && (rules === "" || text.includes(`\n-A ${name} `));
      });
    return !isComplete;
  }

  isConcerned(removal: string): boolean {
    return isRemovalOfEntry(removal, this.#options.rules.family);
  }
}

function idOf({ table, name }: IpvsChain): string {
  return `${table} ${name}`;
}
