import type { Clock } from "#/std/time/clock.ts";
import type { Client } from "../client.ts";
import { type DynamicResource, openCatalog, type ResourceCatalog } from "./resource-catalog.ts";

/** Limit of the age of a catalog (ms); then it is requested again. */
const maxAgeMs = 30_000;

/** The resources of a server, cached for up to maxAgeMs. */
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

  /** Requests the current catalog. */
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

  /** The resource of a kind; an unknown kind is requested from the server. */
  async findKind(kind: { apiVersion: string; kind: string }): Promise<DynamicResource | undefined> {
    return (await this.current()).findKind(kind) ?? (await this.refresh()).findKind(kind);
  }
}
