/** Upstream: pkg/controller/resourcequota. */

import { pods, type ResourceQuota, resourceQuotas } from "#/api/core/v1.ts";
import { deviceClasses, resourceClaims } from "#/api/resource/v1.ts";
import type { DynamicResource } from "#/client/discovery/resource-catalog.ts";
import { keyOf, metaOf } from "#/client/object-key.ts";
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
import { formatResourceList, parseResourceList } from "#/machinery/values/resource-list.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { controlledObjects } from "../base/selected-objects.ts";
import { type Counted, computeUsage } from "./compute-usage.ts";

type Context = ControllerContext<ManagerOptions>;

const name = "resourcequota-controller";

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
    }).run(context);
  },
};

async function reconcile(
  quota: ResourceQuota,
  { client, options }: Context,
  resources: CountedResources,
): Promise<ReconcileResult> {
  const hard = parseResourceList(quota.spec?.hard);
  const counted = await resources.counted(quota, [...hard.keys()]);
  const used = computeUsage(quota, hard, counted);
  const status = {
    hard: formatResourceList(hard),
    used: formatResourceList(used),
  };
  if (
    !deepEqual(status.used, quota.status?.used ?? {}) ||
    !deepEqual(status.hard, quota.status?.hard ?? {})
  ) {
    await client.updateStatus(resourceQuotas, { ...quota, status });
  }
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
  readonly #watched = new Set<string>();
  #enqueue: EnqueueLater | undefined;

  constructor(context: Context) {
    this.#context = context;
    this.#evaluatorOf = quotaEvaluators(deviceLookups(context));
  }

  /** Registers the callback for quotas that must be recounted. */
  onRecount(enqueue: EnqueueLater): void {
    this.#enqueue = enqueue;
  }

  /** The objects in a quota's namespace that count towards one of these names. */
  async counted(quota: ResourceQuota, names: readonly string[]): Promise<Counted[]> {
    const { informers, catalog } = this.#context;
    const namespace = quota.metadata.namespace ?? "";
    const countable = (await catalog.current()).withVerbs("list", "watch", "create");
    const limited = countable.flatMap((resource) => {
      const evaluator = resource.namespaced && this.#evaluatorOf(resource.group, resource.name);
      if (!evaluator || evaluator.matchingResources(names).length === 0) return [];
      this.#watch(resource, evaluator);
      return [{ evaluator, resource }];
    });
    // All are watched by now: the stores sync in parallel, and reconcile is retried when one has
    // synced.
    return limited.map(({ evaluator, resource }) => ({
      evaluator,
      objects: informers.informer(resource).store.listNamespace(namespace),
    }));
  }

  /**
   * When an object is deleted, or its usage changes, the quotas of its namespace are recounted. Not
   * on creation: admission has counted it, and perhaps others that are not in the store yet.
   */
  #watch(resource: DynamicResource, evaluator: QuotaEvaluator): void {
    const { informers } = this.#context;
    const key = `${apiVersionOf(resource)}/${resource.name}`;
    if (this.#watched.has(key)) return;
    this.#watched.add(key);
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
      if (!same) this.#enqueue?.(keyOf(quota));
    }
  }
}
