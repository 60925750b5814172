/** Upstream: k8s.io/client-go/discovery/cached/disk. */
import type { Client } from "#/client/client.ts";
import type { Clock } from "#/std/clock.ts";
import { readCached, writeCached } from "../json-cache.ts";
import type { Unstructured } from "../unstructured.ts";
import type { DiscoveredGroup } from "./discovered-group.ts";

/** For how long a cached answer is believed. */
const lifetimeMs = 6 * 60 * 60 * 1000;

export interface DiscoveryOptions {
  readonly client: Client;
  /** Where the answer is kept. */
  readonly file: string;
  readonly clock: Clock;
}

/** Which resources a server has, kept on disk between commands. */
export class Discovery {
  readonly #options: DiscoveryOptions;
  #groups: Promise<readonly DiscoveredGroup[]> | undefined;
  /** Whether the answer came from this server just now. */
  #isFresh = false;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
  }

  /** In the server's order of preference. */
  groups(): Promise<readonly DiscoveredGroup[]> {
    this.#groups ??= this.#load();
    return this.#groups;
  }

  /** Forgets what is cached; returns whether that may make a difference. */
  invalidate(): boolean {
    if (this.#isFresh) return false;
    this.#groups = this.#ask();
    return true;
  }

  /** Asks the server even if there is a cached answer. */
  refreshed(): Promise<readonly DiscoveredGroup[]> {
    this.invalidate();
    return this.groups();
  }

  async #load(): Promise<readonly DiscoveredGroup[]> {
    return this.#cached() ?? (await this.#ask());
  }

  #cached(): readonly DiscoveredGroup[] | undefined {
    const { file, clock } = this.#options;
    return readCached(file, clock.now() - lifetimeMs) as readonly DiscoveredGroup[] | undefined;
  }

  async #ask(): Promise<readonly DiscoveredGroup[]> {
    const { discover } = await import("#/client/discovery/discover.ts");
    const groups = await discover<Unstructured>(this.#options.client);
    this.#isFresh = true;
    const isWhole = !groups.some(({ versions }) => versions.some(({ stale }) => stale));
    if (isWhole) writeCached(this.#options.file, groups);
    return groups;
  }
}
