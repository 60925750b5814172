import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
} from "#/api/apiextensions/v1.ts";
import { deepCopy } from "#/machinery/deep-copy.ts";
import { deepEqual } from "#/machinery/deep-equal.ts";
import { isConflict, isNotFound } from "#/machinery/status-error.ts";
import { formatTime } from "#/machinery/time.ts";
import type { Logger } from "#/std/log.ts";
import { WorkQueue } from "#/std/queue.ts";
import type { Registry } from "../registry/registry.ts";
import type { Store } from "../registry/store.ts";
import type { ApiObject, RequestContext } from "../registry/strategy.ts";
import { type Conversion, customResource } from "./custom-resource.ts";
import { planNames } from "./plan-names.ts";

export interface CrdControllerOptions {
  readonly registry: Registry;
  readonly log: Logger;
  /** What hooks of the server's own writes may know. */
  readonly context: (namespace: string) => RequestContext;
  /** How objects get from one version to another, where a CRD asks for more than a new apiVersion. */
  readonly conversionOf: (crd: CustomResourceDefinition) => Conversion | undefined;
}

const cleanup = "customresourcecleanup.apiextensions.k8s.io";

/**
 * Serves what CRDs define: accepts their names, establishes them, and cleans up after them.
 * Upstream: apiextensions-apiserver/pkg/controller/{status,establish,finalizer}, pkg/apiserver/customresource_handler.go.
 */
export class CrdController {
  readonly #options: CrdControllerOptions;
  readonly #definitions: Store;
  readonly #queue: WorkQueue<string>;
  /** What each CRD was served from, to see whether it must be served anew. */
  readonly #served = new Map<
    string,
    { readonly spec: unknown; readonly group: string; readonly plural: string }
  >();

  constructor(options: CrdControllerOptions) {
    this.#options = options;
    this.#definitions = options.registry.store("apiextensions.k8s.io", "customresourcedefinitions");
    this.#queue = new WorkQueue({ clock: options.registry.clock });
  }

  /** Follows the CRDs until the signal aborts. The first pass over those that exist is done when this resolves. */
  async start(signal: AbortSignal): Promise<void> {
    const { cache } = this.#definitions;
    cache.subscribe({
      scope: { keyPrefix: "" },
      deliver: (deliveries) => {
        for (const { event } of deliveries) this.#queue.add(cache.itemKey(event.object.key));
      },
    });
    for (const [name] of cache.snapshot().items.entries()) await this.#reconcileSafely(name);
    void this.#work(signal);
  }

  async #work(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => void this.#queue.shutdown(), { once: true });
    for (;;) {
      const name = await this.#queue.get(signal).catch(() => undefined);
      if (name === undefined) return;
      const done = await this.#reconcileSafely(name);
      if (done) this.#queue.forget(name);
      else this.#queue.addRateLimited(name);
      this.#queue.done(name);
    }
  }

  async #reconcileSafely(name: string): Promise<boolean> {
    try {
      await this.#reconcile(name);
      return true;
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) {
        this.#options.log.error(error, "custom resource definition is not served", { name });
      }
      return isNotFound(error);
    }
  }

  async #reconcile(name: string): Promise<void> {
    const stored = this.#definitions.findCached("", name);
    if (!stored) return this.#stopServing(name);
    const crd = stored.object as CustomResourceDefinition & ApiObject;
    if (
      crd.metadata.deletionTimestamp !== undefined &&
      crd.metadata.finalizers?.includes(cleanup)
    ) {
      return this.#cleanUp(crd);
    }
    await this.#updateStatus(crd);
    const current = this.#definitions.findCached("", name)?.object as typeof crd | undefined;
    if (current && isTrue(current, "Established")) await this.#serve(name, current);
  }

  async #updateStatus(crd: CustomResourceDefinition & ApiObject): Promise<void> {
    const others = [...this.#definitions.cache.snapshot().items.entries()]
      .map(([, { object }]) => object as CustomResourceDefinition & ApiObject)
      .filter(
        (other) => other.metadata.name !== crd.metadata.name && other.spec.group === crd.spec.group,
      );
    const taken = others.flatMap((other): CustomResourceDefinitionNames[] => {
      const names = other.status?.acceptedNames;
      return names?.plural ? [names] : [];
    });
    const plan = planNames(crd, taken);
    if (deepEqual({ ...crd.status, ...plan.status }, crd.status)) return;
    await this.#write(crd.metadata.name ?? "", (object) => {
      const next = object as CustomResourceDefinition & ApiObject;
      const now = formatTime(this.#options.registry.clock.now());
      const conditions = mergeConditions(
        next.status?.conditions ?? [],
        plan.status.conditions,
        now,
      );
      next.status = { ...next.status, acceptedNames: plan.status.acceptedNames, conditions };
    });
  }

  async #serve(name: string, crd: CustomResourceDefinition & ApiObject): Promise<void> {
    const { registry, conversionOf } = this.#options;
    const spec = { ...crd.spec, names: crd.status?.acceptedNames };
    if (deepEqual(this.#served.get(name)?.spec, spec)) return;
    const { declaration, schemaOf } = customResource(crd, conversionOf(crd));
    const { group, name: plural } = declaration.handle;
    registry.remove(group, plural);
    await registry.add(declaration, schemaOf);
    this.#served.set(name, { spec: deepCopy(spec), group, plural });
  }

  #stopServing(name: string): void {
    const served = this.#served.get(name);
    if (!served) return;
    this.#served.delete(name);
    this.#options.registry.remove(served.group, served.plural);
  }

  /** Deletes all objects of a dying CRD, then lets it go. */
  async #cleanUp(crd: CustomResourceDefinition & ApiObject): Promise<void> {
    const { registry, context } = this.#options;
    const name = crd.metadata.name ?? "";
    await this.#condition(
      name,
      "InstanceDeletionInProgress",
      "CustomResource deletion is in progress",
    );
    const resource = registry.catalog.findResource(crd.spec.group, crd.spec.names.plural);
    if (resource) {
      for (const [, { object }] of resource.store.cache.snapshot().items.entries()) {
        const { name: item = "", namespace = "" } = object.metadata;
        await ignoreNotFound(resource.store.delete(item, {}, () => undefined, context(namespace)));
      }
      if (resource.store.cache.snapshot().items.size > 0)
        throw new Error(`${name} still has objects`);
    }
    await this.#write(name, ({ metadata }) => {
      metadata.finalizers = (metadata.finalizers ?? []).filter(
        (finalizer) => finalizer !== cleanup,
      );
    });
    this.#stopServing(name);
  }

  async #condition(name: string, reason: string, message: string): Promise<void> {
    await this.#write(name, (object) => {
      const crd = object as CustomResourceDefinition & ApiObject;
      const now = formatTime(this.#options.registry.clock.now());
      const terminating = { type: "Terminating", status: "True", reason, message } as const;
      const conditions = mergeConditions(crd.status?.conditions ?? [], [terminating], now);
      crd.status = { acceptedNames: crd.spec.names, ...crd.status, conditions };
    });
  }

  /** Changes a CRD with the server's own hand: no admission, and only what `change` touches. */
  async #write(name: string, change: (object: ApiObject) => void): Promise<void> {
    const { prepareForUpdate, validateUpdate, ...hooks } = this.#definitions.declaration;
    await this.#definitions.update(
      {
        name,
        hooks,
        validateCreate: () => undefined,
        validateUpdate: () => undefined,
        transform: (old) => {
          const object = deepCopy(old as ApiObject);
          change(object);
          return object;
        },
      },
      this.#options.context(""),
    );
  }
}

function isTrue({ status }: CustomResourceDefinition, type: string): boolean {
  return (
    status?.conditions?.some(
      (condition) => condition.type === type && condition.status === "True",
    ) ?? false
  );
}

type NewCondition = Omit<CustomResourceDefinitionCondition, "lastTransitionTime">;

/** Puts conditions in place; the time changes only when the status does. */
function mergeConditions(
  present: readonly CustomResourceDefinitionCondition[],
  wanted: readonly NewCondition[],
  now: string,
): CustomResourceDefinitionCondition[] {
  const result = [...present];
  for (const condition of wanted) {
    const at = result.findIndex(({ type }) => type === condition.type);
    const before = result[at];
    const lastTransitionTime =
      before?.status === condition.status ? (before.lastTransitionTime ?? now) : now;
    const next = { ...condition, lastTransitionTime };
    if (at < 0) result.push(next);
    else result[at] = next;
  }
  return result;
}

async function ignoreNotFound(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
