/** Upstream: pkg/controller/resourcequota. */

import { pods, type ResourceQuota, resourceQuotas } from "#/api/core/v1.ts";
import { deviceClasses, resourceClaims } from "#/api/resource/v1.ts";
import type { DynamicResource, ResourceCatalog } from "#/client/discovery/resource-catalog.ts";
import { NotSyncedError } from "#/client/informers/informers.ts";
import { keyOf, metaOf, refKey } from "#/client/object-key.ts";
import {
  type Controller,
  type ControllerContext,
  controller,
  type EnqueueLater,
  type ReconcileResult,
} from "#/controller/controller.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { DeviceLookups } from "#/machinery/quota/device-claim-evaluator.ts";
import type { QuotaEvaluator } from "#/machinery/quota/quota-evaluator.ts";
import { type FindEvaluator, quotaEvaluators } from "#/machinery/quota/quota-evaluators.ts";
import {
  addResources,
  formatResourceList,
  parseResourceList,
  type ResourceList,
} from "#/machinery/values/resource-list.ts";
import { nextTurn } from "#/std/time/clock.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { controlledObjects } from "../base/selected-objects.ts";
import { computeUsage } from "./compute-usage.ts";

type Context = ControllerContext<ManagerOptions>;

const name = "resourcequota-controller";
/** Limit of objects that are counted in one turn. */
const pieceSize = 500;
/** The delay of a count as a multiple of the time that the last one took: counts take up to 5 %. */
const delayFactor = 20;
/** Limit of the delay (ms) of a count. */
const maxDelayMs = 5000;

/**
 * Counts the usage of each quota; admission adds to it, and this controller corrects it when
 * objects are deleted.
 */
export const resourceQuotaController: Controller<ManagerOptions> = {
  name,
  run(context) {
    const resources = new CountedResources(context);
    return controller<ResourceQuota, ManagerOptions>({
      name,
      for: resourceQuotas,
      reads: [pods, deviceClasses, resourceClaims],
      queue: "resourcequota_primary",
      // Admission adds to the usage before the objects are in the stores: its writes must not be
      // reverted.
      predicate: (now, old) => !now || !old || !deepEqual(now.spec, old.spec),
      workers: ({ flags }) => flags["concurrent-resource-quota-syncs"],
      start: (_, enqueue) => resources.onRecount(enqueue),
      reconcile: (quota, own) => reconcile(quota, own, resources),
      gone: async (ref) => resources.forget(refKey(ref)),
    }).run(context);
  },
};

async function reconcile(
  quota: ResourceQuota,
  { client, options }: Context,
  resources: CountedResources,
): Promise<ReconcileResult> {
  const hard = parseResourceList(quota.spec?.hard);
  const { usage, unsynced } = await resources.count(quota, hard);
  // Names that can't be counted now keep their last value.
  const last = [...parseResourceList(quota.status?.used)].filter(([limit]) => hard.has(limit));
  const status = {
    hard: formatResourceList(hard),
    used: formatResourceList(unsynced ? new Map([...last, ...usage]) : usage),
  };
  if (
    !deepEqual(status.used, quota.status?.used ?? {}) ||
    !deepEqual(status.hard, quota.status?.hard ?? {})
  ) {
    await client.updateStatus(resourceQuotas, { ...quota, status });
  }
  if (unsynced) throw unsynced;
  return { afterMs: options.flags["resource-quota-sync-period"] };
}

/** Lookups for counting device claims, from stores. */
function deviceLookups({ informers, clock }: Context): DeviceLookups {
  const classes = () => informers.informer(deviceClasses).store;
  return {
    now: () => clock.now(),
    extendedResourceOf: (name) => classes().get("", name)?.spec.extendedResourceName,
    isDeviceClass: (resource) =>
      classes()
        .list()
        .some(
          ({ metadata, spec }) =>
            spec.extendedResourceName === resource ||
            `deviceclass.resource.kubernetes.io/${metadata.name}` === resource,
        ),
    findPod: (namespace, name) => informers.informer(pods).store.get(namespace, name),
    claimsOf: (namespace, podUid) =>
      controlledObjects(resourceClaims, { metadata: { uid: podUid } }, informers).filter(
        ({ metadata }) => metadata.namespace === namespace,
      ),
  };
}

/** The resources that any quota limits: watched from the first quota that does. */
class CountedResources {
  readonly #context: Context;
  readonly #evaluatorOf: FindEvaluator;
  readonly #watched = new Map<string, DynamicResource>();
  /** Time (ms) that the last count of a quota took, by key. */
  readonly #costs = new Map<string, number>();
  #enqueue: EnqueueLater | undefined;

  constructor(context: Context) {
    this.#context = context;
    this.#evaluatorOf = quotaEvaluators(deviceLookups(context));
  }

  /** Registers the callback for quotas that must be recounted. */
  onRecount(enqueue: EnqueueLater): void {
    this.#enqueue = enqueue;
  }

  /** Forgets a deleted quota. */
  forget(quota: string): void {
    this.#costs.delete(quota);
  }

  /** Counts a quota's usage; without the resources whose store is not filled, of which one is given. */
  async count(
    quota: ResourceQuota,
    hard: ResourceList,
  ): Promise<{ usage: ResourceList; unsynced: NotSyncedError | undefined }> {
    const usage: ResourceList = new Map();
    let unsynced: NotSyncedError | undefined;
    let costMs = 0;
    for (const { evaluator, resource } of await this.#limited([...hard.keys()])) {
      const objects = this.#objects(resource, quota.metadata.namespace ?? "");
      if (objects instanceof NotSyncedError) {
        unsynced ??= objects;
        continue;
      }
      // In pieces: a namespace may have very many objects. Without any, the usage is 0.
      for (let from = 0; from === 0 || from < objects.length; from += pieceSize) {
        const piece = objects.slice(from, from + pieceSize);
        const beginMs = this.#context.clock.monotonicMs();
        addResources(usage, computeUsage(quota, hard, [{ evaluator, objects: piece }]));
        costMs += this.#context.clock.monotonicMs() - beginMs;
        if (objects.length > pieceSize) await nextTurn();
      }
    }
    this.#costs.set(keyOf(quota), costMs);
    return { usage, unsynced };
  }

  #objects(resource: DynamicResource, namespace: string): readonly unknown[] | NotSyncedError {
    try {
      return this.#context.informers.informer(resource).store.listNamespace(namespace);
    } catch (error) {
      if (error instanceof NotSyncedError) return error;
      throw error;
    }
  }

  /** The resources that count towards one of these names. */
  async #limited(names: readonly string[]) {
    const catalog = await this.#context.catalog.current();
    const countable = catalog.withVerbs("list", "watch", "create");
    this.#stopRemoved(catalog);
    return countable.flatMap((resource) => {
      const evaluator = resource.namespaced && this.#evaluatorOf(resource.group, resource.name);
      if (!evaluator || evaluator.matchingResources(names).length === 0) return [];
      this.#watch(resource, evaluator);
      return [{ evaluator, resource }];
    });
  }

  /** Ends the informers of resources that are no longer served; a stale group is unknown. */
  #stopRemoved({ resources, stale }: ResourceCatalog): void {
    if (resources.length === 0) return;
    const served = new Set(resources.map(resourceKey));
    for (const [key, resource] of this.#watched) {
      if (served.has(key) || stale.includes(apiVersionOf(resource))) continue;
      this.#watched.delete(key);
      this.#context.informers.stop(resource);
    }
  }

  /**
   * When an object is deleted, or its usage changes, the quotas of its namespace are recounted. Not
   * on creation: admission has counted it, and perhaps others that are not in the store yet.
   */
  #watch(resource: DynamicResource, evaluator: QuotaEvaluator): void {
    const { informers } = this.#context;
    const key = resourceKey(resource);
    if (this.#watched.has(key)) return;
    this.#watched.set(key, resource);
    informers.informer(resource).subscribe({
      updated: (old, now) => this.#changed(evaluator, old, now),
      deleted: (last) => this.#changed(evaluator, last),
    });
  }

  #changed(evaluator: QuotaEvaluator, old: unknown, now?: unknown): void {
    const quotas = this.#context.informers.informer(resourceQuotas).store;
    for (const quota of quotas.listNamespace(metaOf(old).namespace ?? "")) {
      const hard = parseResourceList(quota.spec?.hard);
      const usageOf = (objects: readonly unknown[]) =>
        formatResourceList(computeUsage(quota, hard, [{ evaluator, objects }]));
      const same = deepEqual(usageOf([old]), usageOf(now === undefined ? [] : [now]));
      if (!same) this.#enqueue?.(keyOf(quota), this.#delayMs(keyOf(quota)));
    }
  }

  /** The delay of a count after a change: changes of a large namespace are counted together. */
  #delayMs(quota: string): number {
    return Math.min(maxDelayMs, (this.#costs.get(quota) ?? 0) * delayFactor);
  }
}

const resourceKey = (resource: DynamicResource): string =>
  `${apiVersionOf(resource)}/${resource.name}`;
