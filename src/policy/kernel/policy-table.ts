import type { Logger } from "#/std/log/log.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { ProgramError } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { TablePlan } from "../plan/table-plan.ts";
import { damageOf } from "./listed-table.ts";
import { deleteChains, tableChange, wholeTable } from "./table-text.ts";

/** Time (ms) after which a chain can be deleted: kernels before 6.2 drop references a moment after their removal. */
const staleChainMs = 1000;

interface TableOptions {
  readonly run: RunProgram;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * A table in the kernel. Each write is one transaction: a packet sees the old table or the new one. The table stays
 * when this process ends, however that happens.
 */
export class PolicyTable {
  readonly #options: TableOptions;
  readonly #name: string;
  /** What the kernel has; undefined if that is unknown. */
  #written: TablePlan | undefined;
  /** Empty chains that nothing refers to, and since when. */
  readonly #stale = new Map<string, number>();

  constructor(name: string, options: TableOptions) {
    this.#name = name;
    this.#options = options;
  }

  /** Makes the kernel's table equal to the plan; returns whether anything was written. */
  async write(plan: TablePlan): Promise<boolean> {
    const before = this.#written;
    this.#written = undefined;
    if (before === undefined) {
      this.#stale.clear();
      await this.#run(wholeTable(this.#name, plan));
      this.#written = plan;
      return true;
    }
    const due = this.#dueChains(plan);
    const { text, staleChains } = tableChange(this.#name, before, plan);
    if (text !== "") await this.#run(text);
    const now = this.#options.clock.monotonicMs();
    for (const name of staleChains) this.#stale.set(name, now);
    for (const name of plan.chains.keys()) this.#stale.delete(name);
    this.#written = plan;
    await this.#deleteChains(due);
    return text !== "";
  }

  /** Whether there are empty chains to be deleted by a later write. */
  get hasStaleChains(): boolean {
    return this.#stale.size > 0;
  }

  /** Has the next write replace the table as a whole. */
  distrust(): void {
    this.#written = undefined;
  }

  /** Whether the kernel still has what was written. Reads all of it. */
  async isIntact(): Promise<boolean> {
    if (this.#written === undefined) return false;
    const written = this.#written;
    const list = ["-j", "list", "table", ...this.#name.split(" ")];
    const json = await this.#options.run("nft", list).catch((error: unknown) => {
      if (error instanceof ProgramError && /No such file/.test(error.stderr)) return undefined;
      throw error;
    });
    // A write meanwhile: what was read is neither the old table nor the new one for certain.
    if (this.#written !== written) return true;
    const damage = json === undefined ? "all" : damageOf(written, json);
    if (damage === undefined) return true;
    this.#options.log.warning("found the table of network policies changed by another program", {
      table: this.#name,
      where: damage,
    });
    return false;
  }

  #dueChains(plan: TablePlan): string[] {
    const due = this.#options.clock.monotonicMs() - staleChainMs;
    return [...this.#stale]
      .filter(([name, since]) => since <= due && !plan.chains.has(name))
      .map(([name]) => name);
  }

  /** A chain that can't be deleted yet is deleted later. */
  async #deleteChains(chains: readonly string[]): Promise<void> {
    if (chains.length === 0) return;
    const { clock, log } = this.#options;
    try {
      await this.#run(deleteChains(this.#name, chains));
      for (const name of chains) this.#stale.delete(name);
    } catch (error) {
      log.v(2, "failed to delete empty chains, trying again", { error });
      for (const name of chains) this.#stale.set(name, clock.monotonicMs());
    }
  }

  async #run(input: string): Promise<void> {
    await this.#options.run("nft", ["-f", "-"], input);
  }
}
