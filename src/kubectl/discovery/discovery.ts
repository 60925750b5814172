/** Upstream: staging/src/k8s.io/client-go/discovery/cached/disk. */
import type { Client } from "#/client/client.ts";
import { CredentialError } from "#/client/kubeconfig/credential-error.ts";
import { PortError } from "#/client/kubeconfig/server-url.ts";
import { isConnectionError } from "#/client/transport/connection-error.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import type { Clock } from "#/std/time/clock.ts";
import { CommandError } from "../base/errors.ts";
import { readCached, writeCached } from "../base/json-cache.ts";
import type { Unstructured } from "../base/unstructured.ts";
import type { DiscoveredGroup } from "./discovered-group.ts";

/** Time (ms) after which a cached response expires. */
const lifetimeMs = 6 * 60 * 60 * 1000;

interface DiscoveryOptions {
  readonly client: () => Promise<Client>;
  /** Path of the cached response. */
  readonly file: string;
  readonly clock: Clock;
  /** Called for each attempt that fails. */
  readonly onFailure: (error: unknown) => void;
}

/** The resources of a server, cached on disk between commands. */
export class Discovery {
  readonly #options: DiscoveryOptions;
  #groups: Promise<readonly DiscoveredGroup[]> | undefined;
  /** True if the response is not from the cache. */
  #isFresh = false;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
  }

  /**
   * In the server's order of preference. Requests that fail are repeated as often as upstream's mapper repeats them; after a
   * timeout there is one request only, and its failure counts for all attempts.
   */
  async groups(attempts = 1): Promise<readonly DiscoveredGroup[]> {
    // An invalid configuration is no failure of the server: it is reported once.
    await this.#options.client().catch((error: unknown) => {
      if (!(error instanceof PortError)) throw error;
    });
    for (let attempt = 1; ; attempt++) {
      this.#groups ??= this.#load();
      try {
        return await this.#groups;
      } catch (error) {
        if (!isServerFailure(error)) throw error;
        this.#options.onFailure(error);
        if (!isTimeout(error)) this.#groups = undefined;
        if (attempt >= attempts) throw error;
      }
    }
  }

  /** Drops the cache; returns whether a new request may give another result. */
  invalidate(): boolean {
    if (this.#isFresh) return false;
    this.#groups = this.ask();
    return true;
  }

  /** Requests the resources even if there is a cached response. */
  refreshed(): Promise<readonly DiscoveredGroup[]> {
    this.invalidate();
    return this.groups();
  }

  async #load(): Promise<readonly DiscoveredGroup[]> {
    return this.#cached() ?? (await this.ask());
  }

  #cached(): readonly DiscoveredGroup[] | undefined {
    const { file, clock } = this.#options;
    return readCached(file, clock.now() - lifetimeMs) as readonly DiscoveredGroup[] | undefined;
  }

  /** Sends one request; a failure is not reported. */
  async ask(): Promise<readonly DiscoveredGroup[]> {
    const { discover } = await import("#/client/discovery/discover.ts");
    const groups = await discover<Unstructured>(await this.#options.client());
    this.#isFresh = true;
    const isWhole = !groups.some(({ versions }) => versions.some(({ stale }) => stale));
    if (isWhole) writeCached(this.#options.file, groups);
    return groups;
  }
}

/** An immediate failure of a credentials program or of the configuration is reported once. */
const isServerFailure = (error: unknown): boolean =>
  isConnectionError(error) ||
  isStatusError(error) ||
  error instanceof CredentialError ||
  error instanceof PortError ||
  error instanceof CommandError;

const isTimeout = (error: unknown): boolean =>
  isConnectionError(error) && (error.isTimeout || error.code === "ETIMEDOUT");
