/** Upstream: pkg/controller/garbagecollector. */

import { customResourceDefinitions } from "#/api/apiextensions/v1.ts";
import { apiServices } from "#/api/apiregistration/v1.ts";
import { type DynamicResource, ResourceCatalog } from "#/client/discovery/resource-catalog.ts";
import type { DynamicObject } from "#/client/dynamic-object.ts";
import { Informers } from "#/client/informers/informers.ts";
import { metaOf } from "#/client/object-key.ts";
import type { Controller, ControllerContext } from "#/controller/controller.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { aborted } from "#/std/async/aborted.ts";
import { WorkQueue } from "#/std/async/queue.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { Collector } from "./collector.ts";
import { OwnerGraph, type Work } from "./owner-graph.ts";

type Context = ControllerContext<ManagerOptions>;

/** Interval (ms) of discovery, besides after each change of a definition. */
const discoverMs = 30_000;
/** Delay (ms) after which processing starts although a resource has not been listed; upstream's. */
const initialSyncMs = 30_000;
/**
 * Delay (ms) of discovery after a change: definitions often change together, and are served a
 * little after they are accepted.
 */
const settleMs = 200;
/** Resources that are not watched: Events are many, and own nothing. */
const ignored: ReadonlySet<string> = new Set([".events", "events.k8s.io.events"]);

/** Deletes objects whose owners are deleted, by their owners' deletion policy. */
export const garbageCollectorController: Controller<ManagerOptions> = {
  name: "garbage-collector-controller",
  run: runCollector,
};

async function runCollector(context: Context): Promise<void> {
  const { signal, clock, options, observeQueue, log } = context;
  if (!options.flags["enable-garbage-collector"]) return;
  const graph = new OwnerGraph();
  const observer = observeQueue?.("garbage_collector_attempt_to_delete");
  const queue = new WorkQueue<string>({ clock, ...(observer ? { observer } : {}) });
  const enqueue = (work: readonly Work[]): void => {
    for (const { kind, uid } of work) queue.add(`${kind} ${uid}`);
  };
  const monitors = new Monitors(context, graph, enqueue);
  signal.addEventListener("abort", () => queue.shutdown(), { once: true });
  // follow() retries an unreachable server; a resource that can't be listed does not delay others.
  const begun = monitors.update().catch((error: unknown) => {
    if (!signal.aborted) log.error(error, "failed to discover resources");
  });
  const waited = new AbortController();
  const limit = clock.sleep(initialSyncMs, AbortSignal.any([signal, waited.signal]));
  await Promise.race([begun, limit.catch(() => undefined)]);
  waited.abort();
  const collector = new Collector(context, graph, () => monitors.catalog, enqueue);
  const workers = Array.from({ length: options.flags["concurrent-gc-syncs"] }, () =>
    workOff(queue, collector, context),
  );
  await Promise.all([monitors.follow(), ...workers]);
}

async function workOff(queue: WorkQueue<string>, collector: Collector, { log, signal }: Context) {
  for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
    const [kind, uid = ""] = key.split(" ");
    try {
      await (kind === "orphan" ? collector.orphan(uid) : collector.attemptToDelete(uid));
      queue.forget(key);
    } catch (error) {
      if (!signal.aborted) {
        log.v(2, "failed to process object, retrying", { uid, error: String(error) });
        queue.addRateLimited(key);
      }
    }
    queue.done(key);
  }
}

/** The informers of all deletable resources; only metadata is kept. */
class Monitors {
  catalog = new ResourceCatalog([]);
  readonly #context: Context;
  readonly #graph: OwnerGraph;
  readonly #enqueue: (work: readonly Work[]) => void;
  readonly #running = new Map<string, AbortController>();

  constructor(context: Context, graph: OwnerGraph, enqueue: (work: readonly Work[]) => void) {
    this.#context = context;
    this.#graph = graph;
    this.#enqueue = enqueue;
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

  /** Updates the informers by discovery, and waits until all have synced. */
  async update(): Promise<void> {
    const { catalog, signal } = this.#context;
    this.catalog = await catalog.refresh();
    const desired = new Map(
      this.catalog
        .withVerbs("list", "watch", "delete")
        .filter(({ group, name }) => !ignored.has(`${group}.${name}`))
        .map((resource) => [`${apiVersionOf(resource)}/${resource.name}`, resource]),
    );
    // The resources of an unreachable server are unknown, not removed.
    const isStale = (key: string): boolean =>
      this.catalog.stale.some((one) => key.startsWith(`${one}/`));
    for (const [key, stop] of this.#running) {
      if (desired.has(key) || isStale(key)) continue;
      stop.abort();
      this.#running.delete(key);
    }
    const synced = Array.from(desired, ([key, resource]) =>
      this.#running.has(key) ? undefined : this.#start(key, resource),
    );
    await Promise.race([Promise.all(synced), aborted(signal)]);
  }

  #start(key: string, resource: DynamicResource): Promise<void> {
    const { client, clock, signal } = this.#context;
    const stop = new AbortController();
    this.#running.set(key, stop);
    const own = new Informers(client, AbortSignal.any([signal, stop.signal]), { clock });
    const informer = own.informer(resource, {
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
      updated: (_, now) => upsert(now),
      deleted: (last) => {
        // A resource that is no longer served says nothing about its objects.
        if (!stop.signal.aborted) this.#enqueue(this.#graph.remove(metaOf(last).uid ?? ""));
      },
    });
    return informer.synced;
  }
}
