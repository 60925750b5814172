import { ProgramError, type RunProgram } from "../process/run-program.ts";
import { planChainRemoval } from "./iptables-chains.ts";

/** Seconds to wait for another program that is changing rules. */
export const lockWait = ["-w", "5"];

/** The family of addresses that a table is for, as nft names it. */
export type IpFamily = "ip" | "ip6";

/** The rules of iptables, as its programs save and restore them. */
export class Iptables {
  readonly #run: RunProgram;

  constructor(run: RunProgram) {
    this.#run = run;
  }

  /** Whether the kernel reports the removal of these rules: iptables-legacy has no reports, and without nft they are not seen. */
  async areRemovalsReported(): Promise<boolean> {
    const version = await this.#run("iptables", ["--version"]).catch(() => "");
    const nft = await this.#run("nft", ["--version"]).catch(() => "");
    return !version.includes("legacy") && nft !== "";
  }

  /** What iptables-save says of a table; undefined if there is no iptables, hence no such rules. */
  async save(ip: IpFamily, table: string): Promise<string | undefined> {
    return await this.#run(`${iptablesOf(ip)}-save`, ["-t", table]).catch((error: unknown) => {
      if (isNoProgram(error)) return undefined;
      throw error;
    });
  }

  /** Changes what the input names, and leaves the rest. */
  async restore(ip: IpFamily, input: string): Promise<void> {
    await this.#run(`${iptablesOf(ip)}-restore`, [...lockWait, "--noflush"], input);
  }

  /** Removes chains of a table, with all jumps to them. What isn't there needn't be removed. */
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

/** Whether a program failed because there is no such program. */
export function isNoProgram(error: unknown): boolean {
  return error instanceof ProgramError && error.exitCode === undefined;
}
