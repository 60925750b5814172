/** Upstream: pkg/controller/garbagecollector/{garbagecollector,graph_builder}.go. */
import { customResourceDefinitions } from "#/api/apiextensions/v1.ts";
import { apiServices } from "#/api/apiregistration/v1.ts";
import type { Client } from "#/client/client.ts";
import { type DynamicResource, ResourceCatalog } from "#/client/discovery/resource-catalog.ts";
import type { DynamicObject } from "#/client/dynamic-object.ts";
import type { Informer } from "#/client/informers/informer.ts";
import { Informers } from "#/client/informers/informers.ts";
import { metaOf } from "#/client/object-key.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import type { OwnerGraph, Work } from "./owner-graph.ts";

/** Interval (ms) of discovery, besides after each change of a definition; upstream's. */
const discoverMs = 30_000;
/**
 * Delay (ms) of discovery after a change: definitions often change together, and are served a
 * little after they are accepted.
 */
const settleMs = 200;
/** Resources that are not watched: Events are many, and own nothing. */
const ignored: ReadonlySet<string> = new Set([".events", "events.k8s.io.events"]);

interface Monitor {
  readonly informer: Informer<DynamicObject>;
  readonly stop: AbortController;
}

/** Whether objects are sent; in process they are shared, and metadata alone would be a copy. */
export const isRemote = ({ transport }: Client): boolean => transport.host !== undefined;

/** The informers of all deletable resources; only metadata is kept. */
export class Monitors {
  catalog = new ResourceCatalog([]);
  readonly #context: ControllerContext<ManagerOptions>;
  readonly #graph: OwnerGraph;
  readonly #enqueue: (work: readonly Work[]) => void;
  readonly #running = new Map<string, Monitor>();

  constructor(
    context: ControllerContext<ManagerOptions>,
    graph: OwnerGraph,
    enqueue: (work: readonly Work[]) => void,
  ) {
    this.#context = context;
    this.#graph = graph;
    this.#enqueue = enqueue;
  }

  /** Resolves when all informers that run at this time have synced. */
  async synced(): Promise<void> {
    await Promise.all(Array.from(this.#running.values(), ({ informer }) => informer.synced));
  }

  /** Starts and stops informers as resources appear and disappear, until the signal aborts. */
  async follow(): Promise<void> {
    const { informers, signal, clock, log } = this.#context;
    let changed = Promise.withResolvers<void>();
    const notice = (): void => changed.resolve();
    const handler = { added: notice, updated: notice, deleted: notice };
    using _definitions = informers.informer(customResourceDefinitions).subscribe(handler);
    using _services = informers.informer(apiServices).subscribe(handler);
    while (!signal.aborted) {
      const stop = new AbortController();
      const timer = clock.sleep(discoverMs, AbortSignal.any([signal, stop.signal]));
      await Promise.race([changed.promise, timer]).catch(() => undefined);
      stop.abort();
      timer.catch(() => undefined);
      if (signal.aborted) return;
      changed = Promise.withResolvers<void>();
      await clock.sleep(settleMs, signal).catch(() => undefined);
      await this.update().catch((error: unknown) =>
        log.error(error, "failed to discover resources"),
      );
    }
  }

  /** Updates the informers by discovery. A resource that can't be listed does not delay others. */
  async update(): Promise<void> {
    const found = await this.#context.catalog.refresh();
    // Without any resource, discovery has failed: nothing is known.
    if (found.resources.length === 0) return;
    this.catalog = found;
    const desired = new Map(
      found
        .withVerbs("list", "watch", "delete")
        .filter(({ group, name }) => !ignored.has(`${group}.${name}`))
        .map((resource) => [`${apiVersionOf(resource)}/${resource.name}`, resource]),
    );
    // The resources of an unreachable server are unknown, not removed.
    const isStale = (key: string): boolean => found.stale.some((one) => key.startsWith(`${one}/`));
    for (const [key, { stop }] of this.#running) {
      if (desired.has(key) || isStale(key)) continue;
      stop.abort();
      this.#running.delete(key);
    }
    for (const [key, resource] of desired)
      if (!this.#running.has(key)) this.#running.set(key, this.#start(resource));
  }

  #start(resource: DynamicResource): Monitor {
    const { client, clock, signal } = this.#context;
    const stop = new AbortController();
    const own = new Informers(client, AbortSignal.any([signal, stop.signal]), { clock });
    const informer = own.informer(resource, {
      metadataOnly: isRemote(client),
      transform: ({ metadata }) => ({ metadata }) as DynamicObject,
    });
    const identity = (object: DynamicObject) => ({
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      name: metaOf(object).name ?? "",
      namespace: metaOf(object).namespace,
    });
    const upsert = (object: DynamicObject): void =>
      this.#enqueue(this.#graph.upsert(identity(object), metaOf(object)));
    informer.subscribe({
      added: upsert,
      updated: (old, now) => {
        // An object of the same name has another uid: the first one is deleted.
        const { uid = "" } = metaOf(old);
        if (uid !== metaOf(now).uid) this.#enqueue(this.#graph.remove(uid));
        upsert(now);
      },
      deleted: (last) => {
        // A resource that is no longer served says nothing about its objects.
        if (!stop.signal.aborted) this.#enqueue(this.#graph.remove(metaOf(last).uid ?? ""));
      },
    });
    return { informer, stop };
  }
}
