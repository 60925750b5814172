import type { Logger } from "../log/log.ts";
import type { RunProgram } from "../process/run-program.ts";

/** The table of firewalld, which exists while it runs. */
const firewalldTable = "inet firewalld";
const trusted = "--zone=trusted";

/**
 * Makes firewalld trust networks: its own chains reject unknown traffic, whatever other tables
 * accept. Only its running configuration is changed; a reload reverts that.
 */
export class Firewalld {
  readonly #run: RunProgram;
  readonly #log: Logger;
  /** The networks of the last request: a request takes a second of processor time. */
  #asked = "";

  constructor(run: RunProgram, log: Logger) {
    this.#run = run;
    this.#log = log;
  }

  /** Detects that it was stopped or reloaded. */
  noteRemoval(removal: string): boolean {
    if (!removal.startsWith(`delete table ${firewalldTable}`)) return false;
    this.#asked = "";
    return true;
  }

  /** Makes it trust the networks, if it runs; `tables` is the kernel's list. */
  async ensure(tables: string, cidrs: readonly string[]): Promise<void> {
    const key = cidrs.join(",");
    if (!isRunning(tables)) this.#asked = "";
    if (!isRunning(tables) || this.#asked === key) return;
    await this.#run("firewall-cmd", [trusted, ...cidrs.map((cidr) => `--add-source=${cidr}`)]);
    this.#asked = key;
    this.#log.info("added trusted networks to firewalld", { cidrs: key });
  }

  /** Reverts that, unless the administrator has configured the same. */
  async remove(tables: string, cidrs: readonly string[]): Promise<void> {
    if (!isRunning(tables)) return;
    for (const cidr of cidrs) {
      const isPermanent = await this.#run("firewall-cmd", [
        "--permanent",
        trusted,
        `--query-source=${cidr}`,
      ]).then(
        () => true,
        () => false,
      );
      if (isPermanent) continue;
      // It may not exist any more.
      const args = [trusted, `--remove-source=${cidr}`];
      await this.#run("firewall-cmd", args).catch(() => undefined);
    }
  }
}

function isRunning(tables: string): boolean {
  return tables.split("\n").includes(`table ${firewalldTable}`);
}
