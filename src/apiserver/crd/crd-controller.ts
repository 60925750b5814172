import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionNames,
  customResourceDefinitions,
} from "#/api/apiextensions/v1.ts";
import { conflict, isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { WorkQueue } from "#/std/async/queue.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Registry } from "../registry/registry.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import type { Store } from "../registry/store.ts";
import type { Decoded, RequestContext } from "../registry/strategy.ts";
import { isTrue, type NewCondition, withCondition } from "../resources/apiextensions/condition.ts";
import { trackManagers } from "../verbs/field-managers.ts";
import { type Conversion, customResource } from "./custom-resource.ts";
import { hasItsNames } from "./plan-names.ts";
import { planStatus } from "./plan-status.ts";

type Definition = Decoded<CustomResourceDefinition>;

interface CrdControllerOptions {
  readonly registry: Registry;
  readonly log: Logger;
  /** The context of the server's own writes. */
  readonly context: (namespace: string) => RequestContext;
  /** Converts objects between versions, if a CRD has a conversion webhook. */
  readonly conversionOf: (crd: CustomResourceDefinition) => Conversion | undefined;
}

const cleanup = "customresourcecleanup.apiextensions.k8s.io";

/**
 * Serves the resources of CRDs: accepts their names, establishes them, and deletes their objects with them.
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/controller/{status,establish,finalizer},
 * pkg/apiserver/customresource_handler.go.
 */
export class CrdController {
  readonly #options: CrdControllerOptions;
  readonly #definitions: Store;
  readonly #target: VersionedResource;
  readonly #queue: WorkQueue<string>;
  /** The served form of each CRD, to detect whether it must be served again. */
  readonly #served = new Map<
    string,
    { readonly spec: unknown; readonly group: string; readonly plural: string }
  >();

  constructor(options: CrdControllerOptions) {
    this.#options = options;
    this.#definitions = options.registry.store(customResourceDefinitions);
    this.#target = options.registry.resource(customResourceDefinitions);
    this.#queue = new WorkQueue({ clock: options.registry.clock });
  }

  /** Follows the CRDs until the signal aborts. Resolves after the first pass over the existing ones. */
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
        this.#options.log.error(error, "failed to serve custom resource definition", { name });
      }
      return isNotFound(error);
    }
  }

  async #reconcile(name: string): Promise<void> {
    const stored = this.#definitions.findCached("", name);
    if (!stored) {
      this.#stopServing(name);
      return this.#lookAgain(name.slice(name.indexOf(".") + 1), name);
    }
    const crd = stored.parsed() as Definition;
    if (
      crd.metadata.deletionTimestamp !== undefined &&
      crd.metadata.finalizers?.includes(cleanup)
    ) {
      return this.#cleanUp(crd);
    }
    const now = formatTime(this.#options.registry.clock.now());
    const status = planStatus(crd, this.#takenNames(crd), now);
    const planned: Definition = { ...crd, status };
    // A client that sees the condition expects the resource to be served;
    // one that sees the resource expects the condition.
    if (isTrue(planned, "Established")) {
      await this.#serve(name, planned, isTrue(crd, "Established"));
    }
    if (deepEqual(status, crd.status)) return;
    await this.#write(name, crd.metadata.resourceVersion ?? "", (object) => {
      object.status = status;
    });
    this.#list(name);
    if (!deepEqual(status.acceptedNames, crd.status?.acceptedNames)) {
      this.#lookAgain(crd.spec.group, name);
    }
  }

  /** The names of the other CRDs of a group. */
  #takenNames(crd: Definition): CustomResourceDefinitionNames[] {
    const taken: CustomResourceDefinitionNames[] = [];
    for (const other of this.#inGroup(crd.spec.group)) {
      const names = other.status?.acceptedNames;
      if (names && other.metadata.name !== crd.metadata.name) taken.push(names);
    }
    return taken;
  }

  *#inGroup(group: string): Generator<Definition, void> {
    for (const [, stored] of this.#definitions.cache.snapshot().items.entries()) {
      const crd = stored.parsed() as Definition;
      if (crd.spec.group === group) yield crd;
    }
  }

  /** Names may have become free for CRDs that lack theirs. */
  #lookAgain(group: string, except: string): void {
    for (const other of this.#inGroup(group)) {
      const { name = "" } = other.metadata;
      if (name !== except && !hasItsNames(other)) this.#queue.add(name);
    }
  }

  async #serve(name: string, crd: Definition, isListed: boolean): Promise<void> {
    const { registry, conversionOf } = this.#options;
    const spec = { ...crd.spec, names: crd.status?.acceptedNames };
    if (deepEqual(this.#served.get(name)?.spec, spec)) {
      if (isListed) this.#list(name);
      return;
    }
    const { declaration, schemaOf } = customResource(crd, conversionOf(crd));
    await registry.add(declaration, schemaOf, isListed);
    const { group, name: plural } = declaration.handle;
    this.#served.set(name, { spec, group, plural });
  }

  #list(name: string): void {
    const { group, plural } = this.#served.get(name) ?? {};
    if (group !== undefined && plural !== undefined) {
      this.#options.registry.catalog.list(group, plural);
    }
  }

  #stopServing(name: string): void {
    const served = this.#served.get(name);
    if (!served) return;
    this.#served.delete(name);
    this.#options.registry.remove(served.group, served.plural);
  }

  /** Deletes all objects of a CRD that is being deleted, then its finalizer. */
  async #cleanUp(crd: Definition): Promise<void> {
    const { name = "" } = crd.metadata;
    if (!isTrue(crd, "Established")) return this.#release(name, neverEstablished);
    await this.#write(name, undefined, (object) => this.#put(object, deleting));
    const { group } = crd.spec;
    const plural = crd.status?.acceptedNames.plural ?? crd.spec.names.plural;
    const store = this.#options.registry.catalog.findResource(group, plural)?.store;
    if (store && !(await this.#deleteAll(store))) {
      await this.#write(name, undefined, (object) => this.#put(object, unconfirmed));
      throw new Error(`${name} still has objects`);
    }
    await this.#release(name, deleted);
    this.#stopServing(name);
  }

  /** Deletes every object; false if finalizers keep some. */
  async #deleteAll(store: Store): Promise<boolean> {
    for (const [, stored] of store.cache.snapshot().items.entries()) {
      const { name = "", namespace = "" } = stored.parsed().metadata;
      const context = this.#options.context(namespace);
      await ignoreNotFound(store.delete(name, {}, () => undefined, context));
    }
    return store.cache.snapshot().items.size === 0;
  }

  async #release(name: string, condition: NewCondition): Promise<void> {
    await this.#write(name, undefined, (object) => {
      this.#put(object, condition);
      const { finalizers = [] } = object.metadata;
      object.metadata.finalizers = finalizers.filter((finalizer) => finalizer !== cleanup);
    });
  }

  #put(crd: Definition, condition: NewCondition): void {
    const now = formatTime(this.#options.registry.clock.now());
    const conditions = withCondition(crd.status?.conditions ?? [], condition, now);
    crd.status = { acceptedNames: { plural: "", kind: "" }, ...crd.status, conditions };
  }

  /** Changes a CRD as the server itself: without admission, and only the fields of `change`. */
  async #write(
    name: string,
    version: string | undefined,
    change: (crd: Definition) => void,
  ): Promise<void> {
    const { prepareForUpdate, validateUpdate, warnings, ...hooks } = this.#definitions.declaration;
    await this.#definitions.update(
      {
        name,
        hooks,
        validateCreate: () => undefined,
        validateUpdate: () => undefined,
        transform: (old) => {
          const object = deepCopy(old as Definition);
          if (version !== undefined && object.metadata.resourceVersion !== version) {
            throw conflict(customResourceDefinitions, name);
          }
          change(object);
          const now = this.#options.registry.clock.now();
          trackManagers(this.#target, old, object, {
            manager: "kube-apiserver",
            subresource: "status",
            now,
          });
          return object;
        },
      },
      this.#options.context(""),
    );
  }
}

const deleting: NewCondition = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionInProgress",
  message: "CustomResource deletion is in progress",
};
const unconfirmed: NewCondition = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionCheck",
  message: "could not confirm zero CustomResources remaining: context deadline exceeded",
};
const deleted: NewCondition = {
  type: "Terminating",
  status: "False",
  reason: "InstanceDeletionCompleted",
  message: "removed all instances",
};
const neverEstablished: NewCondition = {
  type: "Terminating",
  status: "False",
  reason: "NeverEstablished",
  message: "resource was never established",
};

async function ignoreNotFound(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
