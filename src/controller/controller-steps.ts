import { AsyncLocalStorage } from "node:async_hooks";
import type { Resource } from "#/api/base/resource.ts";
import type { WriteObserver } from "#/client/informers/write-through-client.ts";
import type { StepSink } from "#/client/journey/recorder.ts";
import { keyOf, metaOf } from "#/client/object-key.ts";
import { resourceText, type StepObject } from "#/machinery/journey/step.ts";
import { isConflict } from "#/machinery/meta/status-error.ts";

/** What woke a controller for an object, and when. */
interface Wake {
  readonly by: StepObject & { readonly revision?: string };
  readonly atMs: number;
}

/** The writes of one reconcile. */
interface Writes {
  readonly sink: StepSink;
  readonly controller: string;
  readonly parent: StepObject;
  count: number;
}

/** The reconcile that a write belongs to. */
const running = new AsyncLocalStorage<Writes>();

/** Limit of keys whose wake is remembered (count): more are in the queue only in a storm, and then the first is enough. */
const maxWakes = 10_000;

/**
 * Reports what one controller does, as steps of the journeys of its objects and of those that it creates. Only
 * reconciles that write or fail are reported: most find nothing to do.
 */
export class ControllerSteps {
  readonly #sink: StepSink;
  readonly #controller: string;
  readonly #resource: Resource;
  readonly #wakes = new Map<string, Wake>();

  constructor(sink: StepSink, controller: string, resource: Resource) {
    this.#sink = sink;
    this.#controller = controller;
    this.#resource = resource;
  }

  /** A change of an object has put a key into the queue. */
  woken(key: string, object: unknown, resource: Resource): void {
    if (!this.#sink.isOn || this.#wakes.has(key) || this.#wakes.size >= maxWakes) return;
    const { resourceVersion: revision } = metaOf(object);
    const by = { ...objectOf(resource, object), ...(revision === undefined ? {} : { revision }) };
    this.#wakes.set(key, { by, atMs: this.#sink.now() });
  }

  /** Runs a reconcile, and reports it if it has written something or failed. */
  async reconcile(
    object: unknown,
    run: () => Promise<ReconcileOutcome>,
  ): Promise<ReconcileOutcome> {
    const wake = this.#takeWake(keyOf(object));
    if (!this.#sink.isOn) return run();
    const [sink, controller] = [this.#sink, this.#controller];
    const writes = { sink, controller, parent: objectOf(this.#resource, object), count: 0 };
    const fromMs = this.#sink.now();
    try {
      const result = await running.run(writes, run);
      if (writes.count > 0) this.#report(writes, fromMs, wake, { requeueMs: result?.afterMs });
      return result;
    } catch (error) {
      if (!isConflict(error)) this.#report(writes, fromMs, wake, { error });
      throw error;
    }
  }

  #takeWake(key: string): Wake | undefined {
    const wake = this.#wakes.get(key);
    this.#wakes.delete(key);
    return wake;
  }

  #report(
    { parent, count }: Writes,
    fromMs: number,
    wake: Wake | undefined,
    { requeueMs, error }: { readonly requeueMs?: number | undefined; readonly error?: unknown },
  ): void {
    const queueMs = wake && Math.round((fromMs - wake.atMs) * 1000) / 1000;
    this.#sink.add({
      of: parent,
      layer: "controllers",
      name: "reconcile",
      fromMs: wake ? Math.min(wake.atMs, fromMs) : fromMs,
      toMs: this.#sink.now(),
      facts: {
        controller: this.#controller,
        writes: count,
        ...(wake ? { by: wake.by, queueMs } : {}),
        ...(requeueMs === undefined ? {} : { requeueMs }),
      },
      ...(error === undefined
        ? {}
        : { outcome: "failed", message: error instanceof Error ? error.message : String(error) }),
    });
  }
}

// biome-ignore lint/suspicious/noConfusingVoidType: an async function without a return gives void.
type ReconcileOutcome = void | { readonly afterMs?: number | undefined };

/** Notes the writes of reconciles: an object that one creates gets a step that names the controller's own object. */
export const reconcileWrites: WriteObserver = {
  now: () => running.getStore()?.sink.now() ?? 0,
  wrote(verb, resource, object, fromMs) {
    const writes = running.getStore();
    if (!writes) return;
    writes.count++;
    if (verb !== "create") return;
    const { sink, parent, controller } = writes;
    sink.add({
      of: objectOf(resource, object),
      layer: "controllers",
      name: verb,
      fromMs,
      toMs: sink.now(),
      facts: { controller, parent },
    });
  },
};

function objectOf(resource: Resource, object: unknown): StepObject {
  const { namespace, name = "", uid } = metaOf(object);
  return {
    resource: resourceText(resource),
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
  };
}
