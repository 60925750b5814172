import type { Logger } from "../log/log.ts";
import type { RunProgram } from "../process/run-program.ts";

/** The table of firewalld, which is there as long as it runs. */
const firewalldTable = "inet firewalld";
const trusted = "--zone=trusted";

/**
 * Has firewalld trust networks: its own chains reject what it doesn't know, whatever other tables
 * accept. Only its running configuration is changed; a reload of it takes that back.
 */
export class Firewalld {
  readonly #run: RunProgram;
  readonly #log: Logger;
  /** The networks it was last asked to trust: asking takes a second of processor time. */
  #asked = "";

  constructor(run: RunProgram, log: Logger) {
    this.#run = run;
    this.#log = log;
  }

  /** Notes that it was stopped or has loaded its configuration again. */
  noteRemoval(removal: string): boolean {
    if (!removal.startsWith(`delete table ${firewalldTable}`)) return false;
    this.#asked = "";
    return true;
  }

  /** Has it trust the networks, if it runs; `tables` is the kernel's list. */
  async ensure(tables: string, cidrs: readonly string[]): Promise<void> {
    const key = cidrs.join(",");
    if (!isRunning(tables)) this.#asked = "";
    if (!isRunning(tables) || this.#asked === key) return;
    await this.#run("firewall-cmd", [trusted, ...cidrs.map((cidr) => `--add-source=${cidr}`)]);
    this.#asked = key;
    this.#log.info("had firewalld trust networks", { cidrs: key });
  }

  /** Takes that back, unless the administrator has said the same. */
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
      // It may not be there any more.
      const args = [trusted, `--remove-source=${cidr}`];
      await this.#run("firewall-cmd", args).catch(() => undefined);
    }
  }
}

function isRunning(tables: string): boolean {
  return tables.split("\n").includes(`table ${firewalldTable}`);
}
