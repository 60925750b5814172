import type { Logger } from "#/std/log/log.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { IpFamily } from "../base/ip-family.ts";
import { type InstalledAddresses, parseAddresses } from "./installed-addresses.ts";
import { type InstalledServer, parseServers } from "./installed-servers.ts";
import { parseSets } from "./installed-sets.ts";
import { parseServerList, serverList } from "./listed-servers.ts";
import { dummyDevice } from "./names.ts";

/** The kernel's virtual servers, sets and addresses of one family, read and changed with programs. */
export class IpvsKernel {
  readonly #family: IpFamily;
  readonly #run: RunProgram;
  readonly #log: Logger;

  constructor(family: IpFamily, run: RunProgram, log: Logger) {
    this.#family = family;
    this.#run = run;
    this.#log = log;
  }

  /** All that the kernel knows about them; slow if there are thousands. */
  async servers(): Promise<Map<string, InstalledServer>> {
    return parseServers(await this.#run("ipvsadm", ["-L", "-n"]), this.#family);
  }

  /** The servers with their connections, as far as the kernel's list has it. */
  async listedServers(
    known: ReadonlyMap<string, InstalledServer>,
  ): Promise<Map<string, InstalledServer>> {
    return parseServerList(await this.#run("cat", [serverList]), this.#family, known);
  }

  async changeServers(lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.#run("ipvsadm", ["-R"], asInput(lines));
  }

  async sets() {
    return parseSets(await this.#run("ipset", ["save"]), this.#family);
  }

  async changeSets(lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.#run("ipset", ["restore", "-exist"], asInput(lines));
  }

  async addresses(): Promise<InstalledAddresses> {
    const text = await this.#run("ip", ["-json", "address", "show"]);
    return parseAddresses(text, this.#family);
  }

  /** Makes the dummy interface, which stays down: its addresses are local all the same. */
  async addDevice(): Promise<void> {
    await this.#run("ip", ["link", "add", dummyDevice, "type", "dummy"]).catch(async (error) => {
      // The proxier of the other family may have made it meanwhile.
      if (!(await this.addresses()).hasDevice) throw error;
    });
  }

  async addAddresses(ips: readonly string[]): Promise<void> {
    await this.#changeAddresses("replace", ips);
  }

  async removeAddresses(ips: readonly string[]): Promise<void> {
    await this.#changeAddresses("del", ips).catch((error) => {
      this.#log.error(error, "failed to unbind addresses", { device: dummyDevice });
    });
  }

  async #changeAddresses(verb: "replace" | "del", ips: readonly string[]): Promise<void> {
    if (ips.length === 0) return;
    const bits = this.#family === "IPv4" ? 32 : 128;
    const lines = ips.map((ip) => `address ${verb} ${ip}/${bits} dev ${dummyDevice}`);
    await this.#run("ip", ["-force", "-batch", "-"], asInput(lines));
  }
}

function asInput(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
