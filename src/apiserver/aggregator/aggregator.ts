import { type APIService, apiServices } from "#/api/apiregistration/v1.ts";
import { isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { WorkQueue } from "#/std/async/queue.ts";
import type { Logger } from "#/std/log/log.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { ServedGroup } from "../discovery/discovery.ts";
import type { Exchange, Handler, Reply } from "../model/exchange.ts";
import type { V2Parts } from "../openapi/v2-document.ts";
import { serviceOf } from "../proxy/choose-endpoint.ts";
import { type ServiceStores, serviceStores } from "../proxy/resolve-service.ts";
import { followStore } from "../registry/follow-store.ts";
import type { Registry } from "../registry/registry.ts";
import type { Store } from "../registry/store.ts";
import type { ApiObject } from "../registry/strategy.ts";
import { mergeDiscovery, type TieBreak } from "./merge-discovery.ts";
import { builtInPriority, customPriority, type Priority, priorityOf } from "./priorities.ts";
import { failedDiscoveryCheck, probeApi } from "./probe-api.ts";
import { readDiscovery, type VersionDiscovery } from "./read-discovery.ts";
import { type DocumentIndex, readOpenApi, readOpenApiV2 } from "./read-open-api.ts";
import { RegisterApis } from "./register-apis.ts";
import { RemoteApi, type RemoteApiOptions } from "./remote-api.ts";
import { reportAvailability } from "./report-availability.ts";

interface AggregatorOptions
  extends Pick<RemoteApiOptions, "routeToEndpoints" | "rejectRedirects" | "identity" | "dial"> {
  readonly registry: Registry;
  readonly log: Logger;
}

/** The last discovery result of another server. */
interface Shown {
  readonly discovery: VersionDiscovery;
  readonly documents: DocumentIndex;
}

/** Interval of availability checks without events, as in upstream. */
const resyncMs = 30_000;
/** Limit of concurrent availability checks (count). */
const workers = 5;

/**
 * Combines the APIs of this server with those of other servers that are registered as APIServices: forwards their
 * requests, checks their availability, and adds them to discovery.
 *
 * Upstream: staging/src/k8s.io/kube-aggregator/pkg/apiserver/apiserver.go, pkg/controllers/status/remote.
 */
export class Aggregator implements Disposable {
  readonly #options: AggregatorOptions;
  readonly #store: Store;
  readonly #backends: ServiceStores;
  readonly #registrar: RegisterApis;
  readonly #registration: WorkQueue<string>;
  readonly #availability: WorkQueue<string>;
  readonly #remotes = new Map<string, RemoteApi>();
  readonly #shown = new Map<string, Shown>();
  readonly #subscriptions = new DisposableStack();
  /** Increases with every change of discovery. */
  generation = 0;

  /** To be made before custom resources are served. */
  constructor(options: AggregatorOptions) {
    const { registry } = options;
    const { clock, catalog } = registry;
    this.#options = options;
    this.#store = registry.store(apiServices);
    this.#backends = serviceStores(registry);
    this.#registrar = new RegisterApis({ catalog, store: this.#store });
    this.#registration = new WorkQueue({ clock });
    // Short at first: what makes a server reachable can't be watched.
    const backoff = exponentialBackoff({ baseMs: 5, maxMs: resyncMs });
    this.#availability = new WorkQueue({ clock, backoff, rate: "unlimited" });
    const follower = followStore(this.#store, (name, object) =>
      this.#onApiService(name, object?.parsed() as APIService | undefined),
    );
    this.#subscriptions.use(follower);
  }

  /** The API of another server that a path belongs to. */
  find(path: string): RemoteApi | undefined {
    if (this.#remotes.size === 0) return undefined;
    const [root, prefix, group = "", version = ""] = path.split("/", 4);
    if (root !== "") return undefined;
    if (prefix === "apis") return this.#remotes.get(`${version}.${group}`);
    return prefix === "api" ? this.#remotes.get("v1.") : undefined;
  }

  serve(exchange: Exchange, remote: RemoteApi): Promise<Reply> {
    return remote.serve(exchange);
  }

  /** All groups, including those of other servers, in the order of their priorities. */
  merge(groups: readonly ServedGroup[], tieBreak: TieBreak): readonly ServedGroup[] {
    const remotes = [...this.#remotes].map(([name, { apiService }]) => {
      const { group = "", version = "" } = apiService.spec;
      const stale = { version, freshness: "Stale" as const };
      return { group, version, discovery: this.#shown.get(name)?.discovery ?? stale };
    });
    const priority = (group: string, version: string) => this.#priorityOf(group, version);
    return mergeDiscovery(groups, { remotes, priorityOf: priority, tieBreak });
  }

  /** OpenAPI v2 documents of other servers; fetched again whenever discovery has changed. */
  async v2Parts(): Promise<readonly V2Parts[]> {
    return Promise.all(
      [...this.#shown.keys()].flatMap((name) => {
        const remote = this.#remotes.get(name);
        return remote ? [readOpenApiV2(remote)] : [];
      }),
    );
  }

  /** Paths of the OpenAPI v3 documents of other servers. */
  get documents(): DocumentIndex {
    return Object.assign({}, ...[...this.#shown.values()].map(({ documents }) => documents));
  }

  /** The OpenAPI v3 document of another server; undefined if none has it. */
  serveDocument(exchange: Exchange, path: string): Promise<Reply> | undefined {
    for (const [name, { documents }] of this.#shown) {
      if (Object.hasOwn(documents, path)) return this.#remotes.get(name)?.serve(exchange);
    }
    return undefined;
  }

  /** Registers this server's own APIs, and follows all others until the signal aborts. */
  async start(handler: Handler, signal: AbortSignal): Promise<void> {
    const { clock, catalog } = this.#options.registry;
    await this.#registrar.syncAll(handler);
    this.#subscriptions.use(catalog.onChange(() => this.#onCatalog()));
    this.#onCatalog();
    for (const store of [this.#backends.services, this.#backends.slices]) {
      const follower = followStore(store, (_key, object, previous) => {
        const changed = object ?? previous;
        if (changed && this.#remotes.size > 0) this.#onBackend(store, changed.parsed());
      });
      this.#subscriptions.use(follower);
    }
    this.#subscriptions.use(clock.every(resyncMs, () => this.#lookAtAll(), { keepAlive: false }));
    void this.#work(this.#registration, signal, (name) => this.#registrar.sync(name, handler));
    for (let worker = 0; worker < workers; worker++) {
      void this.#work(this.#availability, signal, (name) => this.#look(name, handler));
    }
    signal.addEventListener("abort", () => this[Symbol.dispose](), { once: true });
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
    void this.#registration.shutdown();
    void this.#availability.shutdown();
    for (const remote of this.#remotes.values()) remote[Symbol.dispose]();
    this.#remotes.clear();
  }

  #priorityOf(group: string, version: string): Priority {
    const found = this.#store.findCached("", `${version}.${group}`)?.parsed();
    if (found) return priorityOf(found as unknown as APIService);
    return builtInPriority(group, version) ?? customPriority;
  }

  #onCatalog(): void {
    this.#registrar.refresh();
    for (const name of this.#registrar.names()) this.#registration.add(name);
  }

  #onApiService(name: string, apiService: APIService | undefined): void {
    this.generation++;
    this.#registration.add(name);
    const known = this.#remotes.get(name);
    const service = apiService?.spec.service;
    if (known && apiService && deepEqual(known.apiService.spec, apiService.spec)) {
      known.apiService = apiService;
    } else {
      known?.[Symbol.dispose]();
      this.#remotes.delete(name);
      this.#shown.delete(name);
      if (!apiService || !service) return;
      const { clock } = this.#options.registry;
      const options = { ...this.#options, ...this.#backends, clock };
      this.#remotes.set(name, new RemoteApi(apiService, service, options));
    }
    this.#availability.add(name);
  }

  /** Records that a Service, or one of its EndpointSlices, has changed. */
  #onBackend(store: Store, { metadata }: ApiObject): void {
    const changed = store === this.#backends.services ? metadata.name : serviceOf(metadata);
    for (const [name, { service }] of this.#remotes) {
      if (service.namespace !== metadata.namespace || service.name !== changed) continue;
      this.#availability.add(name);
    }
  }

  #lookAtAll(): void {
    for (const name of this.#remotes.keys()) this.#availability.add(name);
  }

  /** Checks a server's availability and reads its discovery. Throws to be retried soon. */
  async #look(name: string, handler: Handler): Promise<void> {
    const remote = this.#remotes.get(name);
    if (!remote) return;
    const problem = await probeApi(remote, this.#backends);
    const now = formatTime(this.#options.registry.clock.now());
    await reportAvailability(handler, remote.apiService, problem, now);
    const { group = "", version = "" } = remote.apiService.spec;
    const [discovery, documents] = await Promise.all([
      readDiscovery(remote, group, version),
      readOpenApi(remote),
    ]);
    const shown: Shown = { discovery, documents };
    if (this.#remotes.get(name) === remote && !deepEqual(shown, this.#shown.get(name))) {
      this.#shown.set(name, shown);
      this.generation++;
    }
    if (problem?.reason === failedDiscoveryCheck) throw new Error(problem.message);
  }

  async #work(
    queue: WorkQueue<string>,
    signal: AbortSignal,
    run: (name: string) => Promise<void>,
  ): Promise<void> {
    for (;;) {
      const name = await queue.get(signal).catch(() => undefined);
      if (name === undefined) return;
      try {
        await run(name);
        queue.forget(name);
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) {
          this.#options.log.info("API service is not available", { name, error: String(error) });
        }
        queue.addRateLimited(name);
      }
      queue.done(name);
    }
  }
}
