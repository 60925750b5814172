import type { Clock } from "#/std/time/clock.ts";
import type { Client } from "../client.ts";
import { type DynamicResource, openCatalog, type ResourceCatalog } from "./resource-catalog.ts";

/** What a server has is asked for again after so long. */
const maxAgeMs = 30_000;

/** What a server has, as of a little while ago. */
export class CachedCatalog {
  readonly #client: Client;
  readonly #clock: Clock;
  #latest: { readonly atMs: number; readonly catalog: Promise<ResourceCatalog> } | undefined;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async current(): Promise<ResourceCatalog> {
    const { atMs = -Infinity, catalog } = this.#latest ?? {};
    const isOld = this.#clock.monotonicMs() - atMs > maxAgeMs;
    return await (catalog && !isOld ? catalog : this.refresh());
  }

  /** As it is now. */
  async refresh(): Promise<ResourceCatalog> {
    const latest = { atMs: this.#clock.monotonicMs(), catalog: openCatalog(this.#client) };
    this.#latest = latest;
    try {
      return await latest.catalog;
    } catch (error) {
      if (this.#latest === latest) this.#latest = undefined;
      throw error;
    }
  }

  /** The resource of a kind; of one that isn't known the server is asked. */
  async findKind(kind: { apiVersion: string; kind: string }): Promise<DynamicResource | undefined> {
    return (await this.current()).findKind(kind) ?? (await this.refresh()).findKind(kind);
  }
}
