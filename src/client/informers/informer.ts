/** Upstream: staging/src/k8s.io/client-go/tools/cache/shared_informer.go. */
import type { Resource } from "#/api/base/resource.ts";
import { backgroundTurn } from "#/std/async/slices.ts";
import { type MaybePromise, whenSettled } from "#/std/base/maybe-promise.ts";
import { type Random, systemRandom } from "#/std/base/random.ts";
import { logger } from "#/std/log/log.ts";
import { type Backoff, exponentialBackoff } from "#/std/time/backoff.ts";
import { type Clock, nextTurn, systemClock } from "#/std/time/clock.ts";
import { enterWork, type Work } from "#/std/time/turn-watch.ts";
import type { Client } from "../client.ts";
import type { SelectOptions, WatchOptions } from "../requests.ts";
import { InformerCache, type ObjectHandler } from "./informer-cache.ts";
import type { IndexFunction, ObjectStore } from "./object-store.ts";
import { begin, initialState, requestFor, step, type WatcherState } from "./watcher.ts";

export interface InformerOptions<T> extends SelectOptions {
  /** Additional indexes by name; one name must always mean the same function. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  /**
   * Reduces each object before it is stored, for example by its managedFields. Must not modify its
   * argument.
   */
  readonly transform?: ((object: T) => T) | undefined;
  /** Whether only metadata is requested; the objects then have nothing else. */
  readonly metadataOnly?: boolean | undefined;
}

/** All objects of a resource, or those selected, kept up to date by a watch. */
export interface Informer<T> {
  readonly store: ObjectStore<T>;
  /**
   * Resolves when the store holds the server's initial state; rejects if the informer is stopped
   * before.
   */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  /** Existing objects are reported at once. */
  subscribe(handler: ObjectHandler<T>): Disposable;
}

export interface WatcherOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Back-off after failures; default 200 ms, doubling up to 10 s, so that a restarted server is
   * soon found.
   */
  readonly backoff?: Backoff;
}

const log = logger("informer");
/**
 * Least timeout of a watch (s); the actual one is random, up to twice this, so that clients spread.
 * Upstream's.
 */
const watchTimeoutSeconds = 300;
/**
 * Limit of events in one turn (count) before other work passes. Fewer are applied as they arrive, so that they keep
 * their order with events of other resources: the garbage collector must know a dependent before its owner's end.
 */
const eventsPerTurn = 64;

/** An informer with its own watch. Use Informers to share one. */
export class RunningInformer<T> implements Informer<T>, Work {
  readonly resource: Resource<T>;
  readonly options: InformerOptions<T>;
  readonly cache: InformerCache<T>;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #backoff: Backoff;
  readonly #synced = Promise.withResolvers<void>();
  #state: WatcherState<T> = initialState;
  #hasSynced = false;
  /** Events in this turn of the event loop. */
  #turnEvents = 0;

  constructor(
    client: Client,
    resource: Resource<T>,
    options: InformerOptions<T> = {},
    { clock = systemClock, random = systemRandom, backoff }: WatcherOptions = {},
  ) {
    this.#client = client;
    this.resource = resource;
    this.options = options;
    this.cache = new InformerCache(options, clock);
    this.#clock = clock;
    this.#random = random;
    this.#backoff =
      backoff ?? exponentialBackoff({ baseMs: 200, maxMs: 10_000, jitter: 0.5, random });
    this.#synced.promise.catch(() => undefined); // Waiters see the rejection; without one it is not unhandled.
  }

  get workKind(): string {
    return "informer";
  }

  describeWork(): Readonly<Record<string, unknown>> {
    return { resource: this.resource.name };
  }

  get store(): ObjectStore<T> {
    return this.cache.store;
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  subscribe(handler: ObjectHandler<T>): Disposable {
    return this.cache.subscribe(handler);
  }

  /** Lists and watches until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        await this.#ask(signal);
        const { failures } = this.#state;
        if (failures > 0) await this.#clock.sleep(this.#backoff(failures), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#synced.reject(signal.reason);
    }
  }

  /** One request: a page, or a watch until its end. */
  async #ask(signal: AbortSignal): Promise<void> {
    this.#state = begin(this.#state);
    const request = requestFor(this.#state);
    const { namespace, labelSelector, fieldSelector, metadataOnly } = this.options;
    const selected = { namespace, labelSelector, fieldSelector, metadataOnly, signal };
    try {
      if (request.type === "list") {
        const list = await this.#client.list(this.resource, { ...request.options, ...selected });
        await this.#apply({ type: "page", list });
      } else await this.#watch({ ...request.options, ...selected });
    } catch (error) {
      if (signal.aborted) return;
      this.#failed(error);
    }
  }

  async #watch(options: WatchOptions): Promise<void> {
    const timeoutSeconds = Math.floor(watchTimeoutSeconds * (1 + this.#random()));
    const events = this.#client.watch(this.resource, { ...options, timeoutSeconds });
    for await (const event of events) {
      const applied = this.#apply({ type: "event", event }) ?? this.#turnAfterEvent();
      if (applied) await applied;
    }
    await this.#apply({ type: "ended" });
  }

  /** Many events in one turn let other work pass in between. */
  #turnAfterEvent(): MaybePromise<void> {
    if (this.#turnEvents++ === 0) void nextTurn().then(() => (this.#turnEvents = 0));
    return this.#turnEvents > eventsPerTurn ? backgroundTurn(this.#clock) : undefined;
  }

  /** Applies the result of a request: at once, but for a long list. */
  #apply(input: Parameters<typeof step<T>>[1]): MaybePromise<void> {
    enterWork(this);
    const [state, output] = step(this.#state, input);
    this.#state = state;
    if (!output) return undefined;
    if (output.type === "changed") {
      this.cache.change(output.event);
      return undefined;
    }
    return whenSettled(this.cache.replace(output.objects, output.version), () => {
      this.#hasSynced = true;
      this.#synced.resolve();
    });
  }

  #failed(error: unknown): void {
    const { name, version } = this.#state;
    void this.#apply({ type: "failed", error });
    if (this.#state.failures === 0) return;
    const { group, name: resource } = this.resource;
    log.v(this.#state.failures > 1 ? 0 : 2, "failed to list or watch", () => ({
      resource: group === "" ? resource : `${resource}.${group}`,
      state: name,
      version,
      error: error instanceof Error ? error.message : String(error),
    }));
  }
}
