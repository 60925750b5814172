/** Upstream: staging/src/k8s.io/client-go/informers/factory.go. */
import type { Resource } from "#/api/base/resource.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { logger } from "#/std/log/log.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import type { Client } from "../client.ts";
import {
  type Informer,
  type InformerOptions,
  RunningInformer,
  type WatcherOptions,
} from "./informer.ts";

const log = logger("informers");

interface InformersOptions extends WatcherOptions {
  /**
   * Whether a store throws NotSyncedError before it is filled instead of looking empty; default
   * false.
   */
  readonly strict?: boolean;
}

/** Thrown by a strict store whose informer has not synced: retry when it has. */
export class NotSyncedError extends Error {
  override readonly name = "NotSyncedError";
  readonly synced: Promise<void>;

  constructor({ group, name }: Resource, synced: Promise<void>) {
    super(`the informer of ${group === "" ? name : `${name}.${group}`} has not synced yet`);
    this.synced = synced;
  }
}

/**
 * The informers of a component: one watch for each resource and selection, shared by all callers.
 */
export class Informers {
  /** Reads with the identity of the informers. */
  readonly client: Client;
  readonly clock: Clock;
  readonly #signal: AbortSignal;
  readonly #options: InformersOptions;
  readonly #running = new Map<string, RunningInformer<unknown>>();
  readonly #stops = new Map<string, AbortController>();
  readonly #transforms = new Map<unknown, number>();

  /** They run until the signal aborts. */
  constructor(client: Client, signal: AbortSignal, options: InformersOptions = {}) {
    this.client = client;
    this.clock = options.clock ?? systemClock;
    this.#signal = signal;
    this.#options = options;
  }

  /** The informer of a resource, started if this is its first use. Indexes are added to those it has. */
  informer<T>(resource: Resource<T>, options: InformerOptions<T> = {}): Informer<T> {
    const key = this.#keyOf(resource, options);
    const found = this.#running.get(key) as RunningInformer<T> | undefined;
    if (found) {
      for (const [name, values] of Object.entries(options.indexes ?? {})) {
        found.cache.store.addIndex(name, values);
      }
      return this.#view(found);
    }
    const informer = new RunningInformer(this.client, resource, options, this.#options);
    this.#running.set(key, informer as unknown as RunningInformer<unknown>);
    const stop = new AbortController();
    this.#stops.set(key, stop);
    informer
      .run(AbortSignal.any([this.#signal, stop.signal]))
      .catch((error: unknown) => log.error(error, "failed to run informer"));
    return this.#view(informer);
  }

  /**
   * Ends the informers of a resource that is no longer served, which would retry for ever. Its stores
   * keep their last state.
   */
  stop(resource: Resource): void {
    for (const [key, { resource: own }] of this.#running) {
      if (own.name !== resource.name || apiVersionOf(own) !== apiVersionOf(resource)) continue;
      this.#stops.get(key)?.abort(new Error(`${resource.name} is no longer served`));
      this.#stops.delete(key);
      this.#running.delete(key);
    }
  }

  /** Resolves when all informers that exist at this time have synced. */
  async synced(): Promise<void> {
    for (const informer of this.#running.values()) await informer.synced;
  }

  /** The informers of a resource that see all objects of a namespace. */
  *seeing(resource: Resource, namespace: string | undefined): Generator<RunningInformer<unknown>> {
    for (const informer of this.#running.values()) {
      const { resource: own, options } = informer;
      if (own.name !== resource.name || own.group !== resource.group) continue;
      if (own.version !== resource.version || options.labelSelector || options.fieldSelector)
        continue;
      if (!options.namespace || options.namespace === namespace) yield informer;
    }
  }

  #view<T>(informer: RunningInformer<T>): Informer<T> {
    if (!this.#options.strict || informer.hasSynced) return informer;
    return {
      get store() {
        if (!informer.hasSynced) throw new NotSyncedError(informer.resource, informer.synced);
        return informer.store;
      },
      get hasSynced() {
        return informer.hasSynced;
      },
      synced: informer.synced,
      subscribe: (handler) => informer.subscribe(handler),
    };
  }

  #keyOf<T>(resource: Resource<T>, options: InformerOptions<T>): string {
    const { namespace = "", labelSelector = "", fieldSelector = "", transform } = options;
    const parts = [apiVersionOf(resource), resource.name, namespace, labelSelector, fieldSelector];
    if (options.metadataOnly) parts.push("metadata");
    return [...parts, this.#numberOf(transform)].join("\0");
  }

  /** A number that identifies a transform function. */
  #numberOf(transform: unknown): number {
    const known = this.#transforms.get(transform) ?? this.#transforms.size;
    this.#transforms.set(transform, known);
    return known;
  }
}
