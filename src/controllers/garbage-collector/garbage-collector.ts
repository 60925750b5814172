/** Upstream: pkg/controller/garbagecollector. */
import type { Controller, ControllerContext } from "#/controller/controller.ts";
import { aborted } from "#/std/async/aborted.ts";
import { WorkQueue } from "#/std/async/queue.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { Collector } from "./collector.ts";
import { Monitors } from "./monitors.ts";
import { OwnerGraph, type Work } from "./owner-graph.ts";

type Context = ControllerContext<ManagerOptions>;

/** Delay (ms) after which processing starts although a resource has not been listed; upstream's. */
const initialSyncMs = 30_000;

/** Deletes objects whose owners are deleted, by their owners' deletion policy. */
export const garbageCollectorController: Controller<ManagerOptions> = {
  name: "garbage-collector-controller",
  run: runCollector,
};

async function runCollector(context: Context): Promise<void> {
  const { signal, clock, options, observeQueue } = context;
  if (!options.flags["enable-garbage-collector"]) return;
  const absent = new AbsentOwners();
  const graph = new OwnerGraph(absent);
  const observer = observeQueue?.("garbage_collector_attempt_to_delete");
  const queue = new WorkQueue<string>({ clock, ...(observer ? { observer } : {}) });
  const enqueue = (works: readonly Work[]): void => {
    for (const work of works) {
      if (work.kind === "report") reportNamespace(context, work);
      else queue.add(`${work.kind} ${work.uid}`);
    }
  };
  const monitors = new Monitors(context, graph, enqueue);
  signal.addEventListener("abort", () => queue.shutdown(), { once: true });
  await Promise.race([firstSync(monitors, context), aborted(signal)]);
  const catalog = () => monitors.catalog;
  const collector = new Collector(context, { graph, absent, catalog, enqueue });
  const workers = Array.from({ length: options.flags["concurrent-gc-syncs"] }, () =>
    workOff(queue, collector, context),
  );
  await Promise.all([monitors.follow(), ...workers]);
}

/** Waits for all informers, up to initialSyncMs. */
async function firstSync(monitors: Monitors, { signal, clock, log }: Context): Promise<void> {
  const waited = new AbortController();
  const limit = clock.sleep(initialSyncMs, AbortSignal.any([signal, waited.signal]));
  const synced = monitors.update().then(() => monitors.synced());
  // follow() repeats discovery.
  const begun = synced.catch((error: unknown) => {
    if (!signal.aborted) log.error(error, "failed to discover resources");
  });
  await Promise.race([begun, limit.catch(() => undefined)]);
  waited.abort();
}

/** A reference to an owner in another namespace is an error of the object's author. */
function reportNamespace(
  { recorder }: Context,
  { dependent, owner }: Work & { readonly kind: "report" },
): void {
  const { uid, identity } = dependent;
  const { namespace = "" } = identity;
  const { apiVersion, kind, name } = owner;
  const text = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${owner.uid}]`;
  const message = `ownerRef ${text} does not exist in namespace "${namespace}"`;
  recorder.event({ ...identity, uid }, "Warning", "OwnerRefInvalidNamespace", message);
}

async function workOff(queue: WorkQueue<string>, collector: Collector, { log, signal }: Context) {
  for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
    const [kind, uid = ""] = key.split(" ");
    try {
      const outcome = await (kind === "orphan"
        ? collector.orphan(uid)
        : collector.attemptToDelete(uid));
      if (outcome === "again") queue.addRateLimited(key);
      else queue.forget(key);
    } catch (error) {
      if (!signal.aborted) {
        log.v(2, "failed to process object, retrying", { uid, error: String(error) });
        queue.addRateLimited(key);
      }
    }
    queue.done(key);
  }
}
