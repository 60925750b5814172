import { ProgramError, type RunProgram } from "../process/run-program.ts";
import { planChainRemoval } from "./iptables-chains.ts";

/** Seconds to wait for the xtables lock. */
export const lockWait = ["-w", "5"];

/** The address family of a table, as in nft. */
export type IpFamily = "ip" | "ip6";

/** The rules of iptables, as its programs save and restore them. */
export class Iptables {
  readonly #run: RunProgram;

  constructor(run: RunProgram) {
    this.#run = run;
  }

  /**
   * Whether the kernel reports the removal of these rules: iptables-legacy has no reports, and
   * without nft they can't be received.
   */
  async areRemovalsReported(): Promise<boolean> {
    const version = await this.#run("iptables", ["--version"]).catch(() => "");
    const nft = await this.#run("nft", ["--version"]).catch(() => "");
    return !version.includes("legacy") && nft !== "";
  }

  /**
   * The output of iptables-save for a table; undefined if iptables is not installed, hence no such
   * rules.
   */
  async save(ip: IpFamily, table: string): Promise<string | undefined> {
    return await this.#run(`${iptablesOf(ip)}-save`, ["-t", table]).catch((error: unknown) => {
      if (isNoProgram(error)) return undefined;
      throw error;
    });
  }

  /** Changes the chains that the input names, and leaves the others. */
  async restore(ip: IpFamily, input: string): Promise<void> {
    await this.#run(`${iptablesOf(ip)}-restore`, [...lockWait, "--noflush"], input);
  }

  /** Removes chains of a table, with all jumps to them. Missing ones are skipped. */
  async removeChains(
    ip: IpFamily,
    table: string,
    names: (saved: string) => readonly string[],
  ): Promise<void> {
    const saved = await this.save(ip, table).catch(() => undefined);
    if (saved === undefined) return;
    const input = planChainRemoval(saved, table, names(saved));
    if (input !== "") await this.restore(ip, input);
  }
}

export function iptablesOf(ip: IpFamily): string {
  return ip === "ip" ? "iptables" : "ip6tables";
}

/** Whether a program failed because it is not installed. */
export function isNoProgram(error: unknown): boolean {
  return error instanceof ProgramError && error.exitCode === undefined;
}
