/** Upstream: pkg/controller/namespace. */
import { type Namespace, namespaces, type Pod, pods } from "#/api/core/v1.ts";
import type { DynamicResource } from "#/client/discovery/resource-catalog.ts";
import { keyOf, metaOf } from "#/client/object-key.ts";
import {
  type ControllerContext,
  controller,
  type ReconcileResult,
  watch,
} from "#/controller/controller.ts";
import { ignoreNotFound, isStatusError } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { computeConditions, type Outcome, type Remains } from "./conditions.ts";

type Context = ControllerContext<ManagerOptions>;

/** The finalizer of this controller. */
const token = "kubernetes";
/** Expected time (s) until finalizers are removed; upstream's. */
const finalizerEstimateSeconds = 15;
/** Least delay (ms) of the next check of a namespace with remaining objects. */
const leastRecheckMs = 1000;

/** Empties namespaces that are being deleted, Pods first, and removes their finalizer. */
export const namespaceController = controller<Namespace, ManagerOptions>({
  name: "namespace-controller",
  for: namespaces,
  workers: ({ flags }) => flags["concurrent-namespace-syncs"],
  predicate: (now) => now?.metadata.deletionTimestamp !== undefined,
  // The deletion of the last Pod triggers the rest.
  watches: [watch(pods, emptiedNamespace, { predicate: (now) => now === undefined })],
  // A namespace is checked at least once a minute.
  retry: { backoff: exponentialBackoff({ baseMs: 5, maxMs: 60_000 }) },
  reconcile,
});

/** The namespace of a deleted Pod if it was the last one. */
function emptiedNamespace({ metadata: { namespace = "" } }: Pod, { informers }: Context): string[] {
  const hasPods = informers.informer(pods).store.countNamespace(namespace) > 0;
  return hasPods ? [] : [namespace];
}

async function reconcile(given: Namespace, context: Context): Promise<ReconcileResult> {
  const { client, clock } = context;
  if (given.metadata.deletionTimestamp === undefined) return undefined;
  let namespace = given;
  if (namespace.status?.phase !== "Terminating") {
    const status = { ...namespace.status, phase: "Terminating" } as const;
    namespace = await client.updateStatus(namespaces, { ...namespace, status });
  }
  const finalizers = namespace.spec?.finalizers ?? [];
  if (!finalizers.includes(token)) return undefined;
  const ageMs = clock.now() - Date.parse(namespace.metadata.deletionTimestamp ?? "");
  const outcome = await emptyNamespace({ name: keyOf(namespace), ageMs }, context);
  const now = namespace.status?.conditions ?? [];
  const conditions = computeConditions(now, outcome, clock.now());
  if (!deepEqual(conditions, now)) {
    const status = { ...namespace.status, conditions };
    namespace = await client.updateStatus(namespaces, { ...namespace, status });
  }
  const isEmpty = outcome.remains.every(({ count }) => count === 0);
  const isSure = outcome.failures.length === 0 && outcome.discoveryFailure === undefined;
  if (!isSure) {
    throw new Error(
      [outcome.discoveryFailure, ...outcome.failures].filter((text) => text).join("; "),
    );
  }
  if (!isEmpty) return { afterMs: recheckDelayMs(outcome, ageMs) };
  const spec = { ...namespace.spec, finalizers: finalizers.filter((one) => one !== token) };
  const ref = { name: keyOf(namespace) };
  await client
    .updateSubresource(namespaces, ref, "finalize", { ...namespace, spec })
    .catch(ignoreNotFound);
  return undefined;
}

/** Objects are often removed soon after the deletion; then the delay follows the estimate. */
function recheckDelayMs({ remains }: Outcome, ageMs: number): number {
  const estimate = Math.max(0, ...remains.map(({ estimateSeconds }) => estimateSeconds));
  const upstreamMs = (Math.floor(estimate / 2) + 1) * 1000;
  return Math.min(upstreamMs, Math.max(leastRecheckMs, ageMs / 2));
}

/** A namespace, and the time since its deletion. */
interface Emptied {
  readonly name: string;
  readonly ageMs: number;
}

/**
 * Deletes all objects; other objects wait until all Pods are deleted, which may still need them.
 */
async function emptyNamespace(namespace: Emptied, context: Context): Promise<Outcome> {
  const catalog = await context.catalog.refresh().catch((error: unknown) => error as Error);
  if (catalog instanceof Error) {
    return { discoveryFailure: catalog.message, failures: [], remains: [] };
  }
  const deletable = catalog.preferred.filter(
    ({ namespaced, verbs }) => namespaced && verbs.includes("delete"),
  );
  const discoveryFailure =
    catalog.stale.length > 0
      ? `Discovery failed for some groups, ${catalog.stale.length} failing: unable to retrieve the complete list of server APIs: ${catalog.stale.map((one) => `${one}: stale GroupVersion discovery: ${one}`).join(", ")}`
      : undefined;
  const first = await removeAll(deletable.filter(isPods), namespace, context);
  const waits = first.remains.some(({ count }) => count > 0);
  const rest = waits ? [] : deletable.filter((resource) => !isPods(resource));
  const then = await removeAll(rest, namespace, context);
  return {
    discoveryFailure,
    failures: [...first.failures, ...then.failures],
    remains: [...first.remains, ...then.remains],
  };
}

async function removeAll(
  resources: readonly DynamicResource[],
  namespace: Emptied,
  context: Context,
): Promise<Pick<Outcome, "failures" | "remains">> {
  const results = await Promise.allSettled(
    resources.map((resource) => removeObjects(resource, namespace, context)),
  );
  const remains = results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const unexpected = remains.filter(({ count, estimateSeconds }) => count > 0 && !estimateSeconds);
  return {
    failures: [
      ...results.flatMap((one) =>
        one.status === "rejected" ? [(one.reason as Error).message] : [],
      ),
      ...unexpected.map(
        ({ resource: { group, version, name } }) =>
          `unexpected items still remain in namespace: ${namespace.name} for gvr: ${group}/${version}, Resource=${name}`,
      ),
    ],
    remains,
  };
}

/** Deletes the objects of one resource, and returns the remaining ones. */
async function removeObjects(
  resource: DynamicResource,
  { name: namespace, ageMs }: Emptied,
  { client }: Context,
): Promise<Remains & { readonly resource: DynamicResource }> {
  const list = async () =>
    resource.verbs.includes("list") ? await client.listAll(resource, { namespace }) : [];
  const nothing = { resource, count: 0, finalizers: new Map<string, number>(), estimateSeconds: 0 };
  try {
    const before = await list();
    if (before.length === 0) return nothing;
    if (resource.verbs.includes("deletecollection")) {
      await client.deleteCollection(resource, { namespace, propagationPolicy: "Background" });
    } else {
      for (const object of before) {
        const ref = { name: metaOf(object).name ?? "", namespace };
        await client
          .delete(resource, ref, { propagationPolicy: "Background" })
          .catch(ignoreNotFound);
      }
    }
    const left = await list();
    const finalizers = new Map<string, number>();
    for (const one of left.flatMap((object) => metaOf(object).finalizers ?? [])) {
      finalizers.set(one, (finalizers.get(one) ?? 0) + 1);
    }
    const graceSeconds = isPods(resource) ? longestGraceSeconds(before as unknown as Pod[]) : 0;
    const gracefulSeconds = ageMs >= graceSeconds * 1000 ? 0 : graceSeconds;
    const estimateSeconds = gracefulSeconds || (finalizers.size > 0 ? finalizerEstimateSeconds : 0);
    return { resource, count: left.length, finalizers, estimateSeconds };
  } catch (error) {
    // The resource was removed meanwhile, or can't be listed: there is nothing to delete.
    if (isStatusError(error) && (error.code === 404 || error.code === 405)) return nothing;
    throw error;
  }
}

const isPods = ({ group, name }: DynamicResource): boolean =>
  group === pods.group && name === pods.name;

/** The longest grace period (s) of Pods that have not ended. */
function longestGraceSeconds(all: readonly Pod[]): number {
  const running = all.filter(
    ({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed",
  );
  return running.reduce(
    (longest, { spec }) => Math.max(longest, spec.terminationGracePeriodSeconds ?? 0),
    0,
  );
}
