/** Upstream: k8s.io/kubernetes/pkg/controller, k8s.io/client-go/util/workqueue. */
import type { Resource } from "#/api/base/resource.ts";
import type { Informer, InformerOptions } from "#/client/informers/informer.ts";
import { NotSyncedError } from "#/client/informers/informers.ts";
import { keyOf, parseKey } from "#/client/object-key.ts";
import type { ObjectRef } from "#/client/requests.ts";
import { isConflict } from "#/machinery/meta/status-error.ts";
import { WorkQueue } from "#/std/async/queue.ts";
import type { Backoff } from "#/std/time/backoff.ts";
import { allSynced } from "./all-synced.ts";
import type { Controller, ControllerContext } from "./controller-context.ts";
import { TerminalError } from "./terminal-error.ts";
import { handlerOf, type Watch, watchOwned } from "./watch.ts";

export type { Controller, ControllerContext } from "./controller-context.ts";
export { terminal } from "./terminal-error.ts";
export { watch } from "./watch.ts";

/** Nothing, or when to look again even if nothing changes. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function without a return gives void.
export type ReconcileResult = void | { readonly afterMs?: number | undefined };

/**
 * What a controller is. Its contract: reconcile sees an object, never an event; it is idempotent; it throws to be called
 * again with backoff (5 ms, doubling up to 1000 s), returns a delay to look again, and throws terminal(error) to wait for
 * the next change; if it reads a store that isn't filled, it is called again when that is. It is never called twice at
 * once for one object. Objects are shared: deepCopy() before changing one.
 *
 * Children are never made twice: what context.client writes is in the stores when it resolves, and a creation that may or
 * may not have happened rejects only when the stores know.
 */
export interface ControllerDeclaration<T, Options = unknown> {
  /** "deployment-controller". */
  readonly name: string;
  readonly for: Resource<T>;
  /** Which of them; default all. */
  readonly select?: InformerOptions<T>;
  /** Changes of objects that have one of these as their controller give that one's key. */
  readonly owns?: readonly Resource[];
  readonly watches?: readonly Watch<Options>[];
  /** What else reconcile reads: its informers have synced before the first call. */
  readonly reads?: readonly Resource[];
  /** Whether a change of an object matters; old is undefined for new ones, now for deleted ones. */
  readonly predicate?: (now: T | undefined, old: T | undefined) => boolean;
  /** How many objects at a time; default 5. */
  readonly workers?: number | ((options: Options) => number);
  /** By which its queue's metrics go; default the name without "-controller". */
  readonly queue?: string;
  readonly backoff?: Backoff;
  /** In whose name events are recorded; default the name. */
  readonly eventSource?: string;
  /** Called once when all informers have synced, before the first reconcile; may enqueue keys by itself. */
  start?(context: ControllerContext<Options>, enqueue: EnqueueLater): Promise<void> | void;
  reconcile(object: T, context: ControllerContext<Options>): Promise<ReconcileResult>;
  /** The object is no more. */
  gone?(ref: ObjectRef, context: ControllerContext<Options>): Promise<ReconcileResult>;
}

/** Puts a key into the queue, now or after so long. */
export type EnqueueLater = (key: string, afterMs?: number) => void;

const defaultWorkers = 5;
/** When to look again although a store that was read is still not filled. */
const unsyncedMs = 10_000;

/** Makes a controller of its declaration; runControllers() runs it. */
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
  const { name, backoff, workers = defaultWorkers, owns = [], reads = [] } = declaration;
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
    ...(backoff ? { backoff } : {}),
  });
  const stop = () => void queue.shutdown();
  signal.addEventListener("abort", stop, { once: true });
  await declaration.start?.(context, (key, afterMs = 0) => queue.addAfter(key, afterMs));
  using subscriptions = new DisposableStack();
  subscriptions.use(own.subscribe(handlerOf(enqueueOwn(declaration, queue))));
  for (const one of watches) {
    subscriptions.use(one.subscribe(context, (key) => queue.add(key)));
  }
  const count = typeof workers === "function" ? workers(options) : workers;
  const work = () => workOff(declaration, context, queue, own);
  await Promise.all(Array.from({ length: Math.max(1, count) }, work));
}

function enqueueOwn<T, Options>(
  { predicate }: ControllerDeclaration<T, Options>,
  queue: WorkQueue<string>,
): (now: T | undefined, old: T | undefined) => void {
  return (now, old) => {
    if (!predicate || predicate(now, old)) queue.add(keyOf(now ?? old));
  };
}

/** Takes keys until the queue is shut down. */
async function workOff<T, Options>(
  declaration: ControllerDeclaration<T, Options>,
  context: ControllerContext<Options>,
  queue: WorkQueue<string>,
  own: Informer<T>,
): Promise<void> {
  for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
    if (!context.signal.aborted) await reconcileKey(declaration, context, queue, { key, own });
    queue.done(key);
  }
}

/**
 * The least wait before an object is reconciled again. The clock counts milliseconds: an object that is due now may not
 * be due before the next one begins, and would be reconciled without end until then.
 */
const leastAfterMs = 1;

async function reconcileKey<T, Options>(
  declaration: ControllerDeclaration<T, Options>,
  context: ControllerContext<Options>,
  queue: WorkQueue<string>,
  { key, own }: { readonly key: string; readonly own: Informer<T> },
): Promise<void> {
  try {
    const object = own.store.getByKey(key);
    const result =
      object === undefined
        ? await declaration.gone?.(parseKey(key), context)
        : await declaration.reconcile(object, context);
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
  if (error instanceof TerminalError) {
    log.error(error, "Reconcile failed, not retrying", { key });
    queue.forget(key);
    return;
  }
  if (error instanceof NotSyncedError) againWhenSynced(error, { key, queue });
  else queue.addRateLimited(key);
  // Both are everyday matters that the next try settles.
  if (isConflict(error) || error instanceof NotSyncedError) {
    log.v(2, "Reconcile is tried again", {
      key,
      reason: error instanceof Error ? error.message : "",
    });
  } else log.error(error, "Reconcile failed", { key, retries: queue.retries(key) });
}

/** As soon as the store is filled; or after a while all the same, since the resource may be gone for good. */
function againWhenSynced(
  { synced }: NotSyncedError,
  { key, queue }: { key: string; queue: WorkQueue<string> },
): void {
  queue.addAfter(key, unsyncedMs);
  synced.then(
    () => queue.add(key),
    () => undefined, // It was stopped before it had synced: so are we.
  );
}
