import type { Logger } from "#/std/log/log.ts";
import { ProgramError, type RunProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type Backend, paced, type SyncRequest } from "../base/backend.ts";
import type { ProxyMetrics } from "../base/metrics.ts";
import type { RuleOptions } from "../base/rule-options.ts";
import { baseFragment } from "./base-fragment.ts";
import { tableName } from "./names.ts";
import { type InstalledTable, NftRuleset } from "./ruleset.ts";
import { serviceFragment } from "./service-fragment.ts";
import { NftTransaction } from "./transaction.ts";

/**
 * Delay (ms) between the removal of the last element that led to a chain and its deletion: kernels
 * before 6.2 take a moment to drop the reference.
 */
const staleChainMs = 1000;

/** The entry of packets into our table; its rules are written only with the whole table. */
const entryChain = "nat-prerouting";

interface NftBackendOptions {
  readonly rules: RuleOptions;
  readonly run: RunProgram;
  readonly clock: Clock;
  readonly metrics: ProxyMetrics;
  readonly log: Logger;
}

/** Maintains the table `kube-proxy` of one family with the program nft. */
export class NftBackend implements Backend {
  readonly #options: NftBackendOptions;
  readonly #ip: "ip" | "ip6";
  readonly #ruleset: NftRuleset;
  /** Empty chains to be deleted, and since when they are empty. */
  readonly #stale = new Map<string, number>();
  #hooksMade = false;

  constructor(options: NftBackendOptions) {
    this.#options = options;
    this.#ip = options.rules.family === "IPv4" ? "ip" : "ip6";
    this.#ruleset = new NftRuleset(this.#ip);
  }

  async sync({ full, services, addresses }: SyncRequest): Promise<void> {
    const { rules, clock, metrics } = this.#options;
    await this.#deleteStaleChains();
    if (full) this.#ruleset.clear();
    this.#ruleset.set("", baseFragment(rules, addresses()));
    for await (const [key, ports] of paced(services)) {
      this.#ruleset.set(key, ports.length > 0 ? serviceFragment(ports, rules) : undefined);
    }
    const update = full
      ? this.#ruleset.rebuild(await this.#installed(), !this.#hooksMade)
      : this.#ruleset.update();
    try {
      await this.#run(update.commands);
    } catch (error) {
      metrics.nftSyncFailures.with({ ip_family: rules.family }).inc();
      this.#stale.clear();
      throw error;
    }
    this.#hooksMade = true;
    for (const chain of update.activeChains) this.#stale.delete(chain);
    for (const chain of update.staleChains) this.#stale.set(chain, clock.monotonicMs());
  }

  /** Checks the entry into the table: without it, none of our rules works. */
  async removed(): Promise<boolean> {
    const chain = ["-t", "list", "chain", this.#ip, tableName, entryChain];
    try {
      return !(await this.#options.run("nft", chain)).includes("jump services");
    } catch (error) {
      return isMissing(error);
    }
  }

  isConcerned(removal: string): boolean {
    const ours = `${this.#ip} ${tableName}`;
    return (
      removal === `delete table ${ours}` || removal.startsWith(`delete rule ${ours} ${entryChain} `)
    );
  }

  async #deleteStaleChains(): Promise<void> {
    const { rules, clock, metrics, log } = this.#options;
    const due = clock.monotonicMs() - staleChainMs;
    const transaction = new NftTransaction(this.#ip);
    for (const [chain, since] of this.#stale) {
      if (since > due) continue;
      transaction.deleteChain(chain);
      this.#stale.delete(chain);
    }
    try {
      await this.#run(transaction.text());
    } catch (error) {
      log.error(error, "failed to delete stale chains, retrying with the next full sync");
      metrics.nftCleanupFailures.with({ ip_family: rules.family }).inc();
    }
  }

  async #run(commands: string): Promise<void> {
    if (commands !== "") await this.#options.run("nft", ["-f", "-"], commands);
  }

  async #installed(): Promise<InstalledTable> {
    const [chains, sets, maps] = await Promise.all(
      ["chains", "sets", "maps"].map((what) => this.#list(what)),
    );
    const containers = [...(sets ?? []), ...(maps ?? [])];
    return {
      chains: (chains ?? []).map(({ name }) => name),
      containers: new Map(
        containers.map(({ name, timeout }) => [name, { timeoutSeconds: timeout }]),
      ),
    };
  }

  async #list(what: string): Promise<NftListed[]> {
    const text = await this.#options.run("nft", ["-j", "-t", "list", what, this.#ip]);
    const { nftables } = JSON.parse(text) as { nftables: Record<string, NftListed>[] };
    return nftables.flatMap(({ chain, set, map }) => {
      const found = chain ?? set ?? map;
      return found?.table === tableName ? [found] : [];
    });
  }
}

interface NftListed {
  readonly table: string;
  readonly name: string;
  readonly timeout?: number;
}

/** Removes our tables; returns whether that succeeded. */
export async function removeTables(run: RunProgram, log: Logger): Promise<boolean> {
  let clean = true;
  for (const ip of ["ip", "ip6"]) {
    try {
      await run("nft", ["delete", "table", ip, tableName]);
    } catch (error) {
      if (isMissing(error) || isNoProgram(error)) continue;
      log.error(error, "failed to remove nftables rules");
      clean = false;
    }
  }
  return clean;
}

function isMissing(error: unknown): boolean {
  return error instanceof ProgramError && /No such file/.test(error.stderr);
}

function isNoProgram(error: unknown): boolean {
  return error instanceof ProgramError && error.exitCode === undefined;
}
