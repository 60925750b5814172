import { conflict } from "#/machinery/meta/status-error.ts";
import { type Random, systemRandom } from "#/std/base/random.ts";
import type { Storage } from "#/storage/base/storage.ts";
import { registryPrefix } from "../../../../registry/feed.ts";
import { decodePortRecord, encodePortRecord } from "./port-record.ts";
import { DryRunPorts, type PortRange, PortSet, type Ports } from "./port-set.ts";

const key = `${registryPrefix}ranges/servicenodeports`;
/** Limit of attempts of a write when another server's write conflicts. */
const attempts = 64;

/** The node ports of the cluster: one record in the store, which all API servers change by compare-and-swap. */
export class NodePorts {
  readonly range: PortRange;
  readonly #random: Random;

  constructor(range: PortRange, random: Random = systemRandom) {
    this.range = range;
    this.#random = random;
  }

  /**
   * Allocates ports. `take` is called again after a conflict, and must then start from its first port.
   * Throws AllocationError.
   */
  async take<T>(storage: Storage, take: (ports: Ports) => T): Promise<T> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { ports, revision } = await this.#read(storage);
      const before = ports.taken.size;
      const result = take(ports);
      if (ports.taken.size === before) return result;
      if (await this.#write(storage, ports, revision)) return result;
    }
    throw conflict({ group: "", name: "servicenodeportallocations" }, "");
  }

  /** The result of an allocation, without a write. */
  async tryTake<T>(storage: Storage, take: (ports: Ports) => T): Promise<T> {
    const { ports } = await this.#read(storage);
    return take(new DryRunPorts(ports));
  }

  /** Releases ports. */
  async release(storage: Storage, released: readonly number[]): Promise<void> {
    if (released.length === 0) return;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { ports, revision } = await this.#read(storage);
      if (!released.some((port) => ports.has(port))) return;
      for (const port of released) ports.release(port);
      if (await this.#write(storage, ports, revision)) return;
    }
  }

  /** Repairs the record; returns false on a conflict with another server. */
  async replace(
    storage: Storage,
    plan: (recorded: ReadonlySet<number>) => ReadonlySet<number>,
  ): Promise<boolean> {
    const { ports, revision } = await this.#read(storage);
    const repaired = new PortSet(this.range, this.#random, plan(ports.taken));
    if (repaired.taken.symmetricDifference(ports.taken).size === 0) return true;
    return this.#write(storage, repaired, revision);
  }

  async #read(storage: Storage): Promise<{ ports: PortSet; revision: number | "absent" }> {
    const { entry } = await storage.get(key);
    const taken = entry ? decodePortRecord(entry.value) : [];
    const ports = new PortSet(this.range, this.#random, taken);
    return { ports, revision: entry?.modRevision ?? "absent" };
  }

  async #write(storage: Storage, ports: PortSet, expect: number | "absent"): Promise<boolean> {
    const value = encodePortRecord(this.range, ports.taken);
    const result = await storage.put(key, value, { expect });
    return result.done;
  }
}
