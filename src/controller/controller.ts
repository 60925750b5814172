/** Upstream: pkg/controller, staging/src/k8s.io/client-go/util/workqueue. */
import type { Resource } from "#/api/base/resource.ts";
import type { Informer, InformerOptions } from "#/client/informers/informer.ts";
import { NotSyncedError } from "#/client/informers/informers.ts";
import { keyOf, parseKey } from "#/client/object-key.ts";
import type { ObjectRef } from "#/client/resource-path.ts";
import { isConflict } from "#/machinery/meta/status-error.ts";
import { type RetryOptions, WorkQueue } from "#/std/async/queue.ts";
import { backgroundTurn } from "#/std/async/slices.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { enterWork } from "#/std/time/turn-watch.ts";
import { allSynced } from "./all-synced.ts";
import type { Controller, ControllerContext } from "./controller-context.ts";
import { ControllerSteps } from "./controller-steps.ts";
import { handlerOf, type Watch, watchOwned } from "./watch.ts";

export type { Controller, ControllerContext } from "./controller-context.ts";
export { watch } from "./watch.ts";

/** The delay until the next reconcile even without changes; none if undefined. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function without a return gives void.
export type ReconcileResult = void | { readonly afterMs?: number | undefined };

/**
 * Declaration of a controller. Its contract: reconcile gets an object, not an event; it is
 * idempotent; it throws to be retried with back-off (5 ms, doubling up to 1000 s), and returns a
 * delay to run again; if it reads a store that isn't filled, it is retried when the store has
 * synced. Calls for one object never run in parallel. Objects are shared: deepCopy() before
 * changing one.
 *
 * Children are never created twice: writes of context.client are in the stores when they resolve,
 * and a creation without a response rejects only when the stores are up to date.
 */
interface ControllerDeclaration<T, Options = unknown> {
  /** "deployment-controller". */
  readonly name: string;
  readonly for: Resource<T>;
  /** Selects objects; default all. */
  readonly select?: InformerOptions<T>;
  /** A change of an object whose controller is one of these enqueues that controller's key. */
  readonly owns?: readonly Resource[];
  readonly watches?: readonly Watch<Options>[];
  /** Further resources that reconcile reads: their informers have synced before the first call. */
  readonly reads?: readonly Resource[];
  /** Whether a change is relevant; old is undefined for new objects, now for deleted ones. */
  readonly predicate?: (now: T | undefined, old: T | undefined) => boolean;
  /** Limit of objects in parallel; default 5. */
  readonly workers?: number | ((options: Options) => number);
  /** Name of its queue in metrics; default the name without "-controller". */
  readonly queue?: string;
  /** Back-off of a failed object, and limit of retries of all; default upstream's. */
  readonly retry?: RetryOptions;
  /** Source of its events; default the name. */
  readonly eventSource?: string;
  /** Called once when all informers have synced, before the first reconcile; may enqueue keys. */
  start?(context: ControllerContext<Options>, enqueue: EnqueueLater): MaybePromise<void>;
  reconcile(object: T, context: ControllerContext<Options>): Promise<ReconcileResult>;
  /** Called when the object has been deleted. */
  gone?(ref: ObjectRef, context: ControllerContext<Options>): Promise<ReconcileResult>;
}

/** Adds a key to the queue, now or after a delay. */
export type EnqueueLater = (key: string, afterMs?: number) => void;

const defaultWorkers = 5;
/** Delay (ms) until a retry if a store that was read does not sync. */
const unsyncedMs = 10_000;

/** Makes a controller from its declaration; runControllers() runs it. */
export function controller<T, Options = unknown>(
  declaration: ControllerDeclaration<T, Options>,
): Controller<Options> {
  return {
    name: declaration.name,
    eventSource: declaration.eventSource,
    run: (context) => runController(declaration, context),
  };
}

async function runController<T, Options>(
  declaration: ControllerDeclaration<T, Options>,
  context: ControllerContext<Options>,
): Promise<void> {
  const { signal, clock, options, observeQueue, informers } = context;
  const { name, retry: retries, workers = defaultWorkers, owns = [], reads = [] } = declaration;
  const own = informers.informer(declaration.for, declaration.select);
  const watches = [
    ...owns.map((resource) => watchOwned(resource, declaration.for) as Watch<Options>),
    ...(declaration.watches ?? []),
  ];
  const needed = [own, ...watches.map((one) => one.informer(context))];
  needed.push(...reads.map((resource) => informers.informer(resource)));
  if (!(await allSynced(needed, signal))) return;
  const observer = observeQueue?.(declaration.queue ?? name.replace(/-controller$/, ""));
  const queue = new WorkQueue<string>({
    clock,
    ...(observer ? { observer } : {}),
    ...retries,
  });
  const stop = () => void queue.shutdown();
  signal.addEventListener("abort", stop, { once: true });
  await declaration.start?.(context, (key, afterMs = 0) => queue.addAfter(key, afterMs));
  using subscriptions = new DisposableStack();
  const steps = new ControllerSteps(context.steps, name, declaration.for);
  const enqueue: Parameters<Watch["subscribe"]>[1] = (key, object, resource) => {
    steps.woken(key, object, resource);
    queue.add(key);
  };
  subscriptions.use(own.subscribe(handlerOf(enqueueOwn(declaration, enqueue))));
  for (const one of watches) subscriptions.use(one.subscribe(context, enqueue));
  const count = typeof workers === "function" ? workers(options) : workers;
  const work = () => processQueue(declaration, context, queue, { own, steps });
  await Promise.all(Array.from({ length: Math.max(1, count) }, work));
}

function enqueueOwn<T, Options>(
  { predicate, for: resource }: ControllerDeclaration<T, Options>,
  enqueue: Parameters<Watch["subscribe"]>[1],
): (now: T | undefined, old: T | undefined) => void {
  return (now, old) => {
    const object = now ?? old;
    if (!predicate || predicate(now, old)) enqueue(keyOf(object), object, resource);
  };
}

/** The objects that are reconciled, and where that is reported. */
interface Reconciled<T> {
  readonly own: Informer<T>;
  readonly steps: ControllerSteps;
}

/** Processes keys until the queue is shut down. */
async function processQueue<T, Options>(
  declaration: ControllerDeclaration<T, Options>,
  context: ControllerContext<Options>,
  queue: WorkQueue<string>,
  { own, steps }: Reconciled<T>,
): Promise<void> {
  for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
    const turn = backgroundTurn(context.clock);
    if (turn) await turn;
    if (!context.signal.aborted)
      await reconcileKey(declaration, context, queue, { key, own, steps });
    queue.done(key);
  }
}

/**
 * Least delay (ms) before an object is reconciled again. The clock counts milliseconds: without it
 * an object that is due now would be reconciled repeatedly within one millisecond.
 */
const leastAfterMs = 1;

async function reconcileKey<T, Options>(
  declaration: ControllerDeclaration<T, Options>,
  context: ControllerContext<Options>,
  queue: WorkQueue<string>,
  { key, own, steps }: Reconciled<T> & { readonly key: string },
): Promise<void> {
  enterWork({
    workKind: "controller",
    describeWork: () => ({ controller: declaration.name, key }),
  });
  try {
    const object = own.store.getByKey(key);
    const result =
      object === undefined
        ? await declaration.gone?.(parseKey(key), context)
        : await steps.reconcile(object, () => declaration.reconcile(object, context));
    queue.forget(key);
    if (result?.afterMs !== undefined) queue.addAfter(key, Math.max(result.afterMs, leastAfterMs));
  } catch (error) {
    if (!context.signal.aborted) retry(error, { key, queue, context });
  }
}

function retry<Options>(
  error: unknown,
  {
    key,
    queue,
    context: { log },
  }: { key: string; queue: WorkQueue<string>; context: ControllerContext<Options> },
): void {
  if (error instanceof NotSyncedError) requeueWhenSynced(error, { key, queue });
  else queue.addRateLimited(key);
  // Both are expected, and a retry resolves them.
  if (isConflict(error) || error instanceof NotSyncedError) {
    log.v(2, "retrying reconcile", {
      key,
      reason: error instanceof Error ? error.message : "",
    });
  } else log.error(error, "failed to reconcile", { key, retries: queue.retries(key) });
}

/**
 * Enqueues the key when the store has synced, or after unsyncedMs, since the resource may have been
 * removed.
 */
function requeueWhenSynced(
  { synced }: NotSyncedError,
  { key, queue }: { key: string; queue: WorkQueue<string> },
): void {
  queue.addAfter(key, unsyncedMs);
  synced.then(
    () => queue.add(key),
    () => undefined, // The informer was stopped before it had synced, and so is this controller.
  );
}
