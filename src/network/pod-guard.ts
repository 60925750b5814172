import { KeyedLock } from "#/std/async/keyed-lock.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { PodLink } from "./pod-links.ts";
import { elementsOf, guardChange, guardCommands, guardTables, hasGuard } from "./spoof-rules.ts";

interface Place {
  readonly bridge: string;
  readonly gateways: readonly string[];
}

/** Keeps the rules by which Pods send only from their own addresses. */
export class PodGuard {
  readonly #run: RunProgram;
  readonly #podLinks: () => Promise<PodLink[]>;
  /** Pods are bound while the rules are checked. */
  readonly #lock = new KeyedLock();
  #place: Place | undefined;
  /** The elements of the sets; undefined if there are no such sets. */
  #bound: ReadonlySet<string> | undefined;

  constructor(run: RunProgram, podLinks: () => Promise<PodLink[]>) {
    this.#run = run;
    this.#podLinks = podLinks;
  }

  /** Binds the links of new Pods to their addresses, and forgets those of Pods that are gone. */
  bindPods(): Promise<void> {
    return this.#lock.run("", () => this.#bind());
  }

  /** Writes missing rules. Fails if there is no nft, or the kernel has no family of bridges for it. */
  ensure(bridge: string, gateways: readonly string[]): Promise<void> {
    return this.#lock.run("", () => this.#ensure({ bridge, gateways }));
  }

  /** Binds no Pods from now on; the caller removes the tables. */
  stop(): Promise<void> {
    return this.#lock.run("", async () => {
      this.#bound = undefined;
    });
  }

  async #bind(): Promise<void> {
    if (this.#bound === undefined || this.#place === undefined) return;
    const binding = { ...this.#place, links: await this.#podLinks() };
    const change = guardChange(this.#bound, binding);
    if (change === "") return;
    // If another program has changed the sets, the tables are written again.
    await this.#run("nft", ["-f", "-"], change).catch(() =>
      this.#run("nft", ["-f", "-"], guardCommands(binding)),
    );
    this.#bound = elementsOf(binding);
  }

  async #ensure(place: Place): Promise<void> {
    this.#place = place;
    this.#bound = undefined;
    const binding = { ...place, links: await this.#podLinks() };
    const listed = guardTables.map((table) =>
      this.#run("nft", ["list", "table", ...table.split(" ")]).catch(() => ""),
    );
    if (!hasGuard(binding, await Promise.all(listed))) {
      await this.#run("nft", ["-f", "-"], guardCommands(binding));
    }
    this.#bound = elementsOf(binding);
  }
}
