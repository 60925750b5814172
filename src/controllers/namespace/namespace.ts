/** Upstream: pkg/controller/namespace. */
import { type Namespace, namespaces, pods } from "#/api/core/v1.ts";
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
import type { ManagerOptions } from "../base/manager-options.ts";
import { computeConditions, type Outcome, type Remains } from "./conditions.ts";

type Context = ControllerContext<ManagerOptions>;

/** The finalizer of this controller. */
const token = "kubernetes";
/** Interval (ms) of checks of objects with finalizers; deleted Pods are reported by their watch. */
const recheckMs = 1000;

/** Empties namespaces that are being deleted, Pods first, and removes their finalizer. */
export const namespaceController = controller<Namespace, ManagerOptions>({
  name: "namespace-controller",
  for: namespaces,
  workers: ({ flags }) => flags["concurrent-namespace-syncs"],
  predicate: (now) => now?.metadata.deletionTimestamp !== undefined,
  // The deletion of the last Pod triggers the rest.
  watches: [
    watch(pods, ({ metadata }) => [metadata.namespace ?? ""], {
      predicate: (now) => now === undefined,
    }),
  ],
  reconcile,
});

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
  const outcome = await emptyNamespace(keyOf(namespace), context);
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
  if (!isEmpty) return { afterMs: recheckMs };
  const spec = { ...namespace.spec, finalizers: finalizers.filter((one) => one !== token) };
  const ref = { name: keyOf(namespace) };
  await client
    .updateSubresource(namespaces, ref, "finalize", { ...namespace, spec })
    .catch(ignoreNotFound);
  return undefined;
}

/**
 * Deletes all objects; other objects wait until all Pods are deleted, which may still need them.
 */
async function emptyNamespace(namespace: string, context: Context): Promise<Outcome> {
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
  const isPods = ({ group, name }: DynamicResource): boolean =>
    group === pods.group && name === pods.name;
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
  namespace: string,
  context: Context,
): Promise<Pick<Outcome, "failures" | "remains">> {
  const results = await Promise.allSettled(
    resources.map((resource) => removeObjects(resource, namespace, context)),
  );
  return {
    failures: results.flatMap((result) =>
      result.status === "rejected" ? [(result.reason as Error).message] : [],
    ),
    remains: results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])),
  };
}

/** Deletes the objects of one resource, and returns the remaining ones. */
async function removeObjects(
  resource: DynamicResource,
  namespace: string,
  { client }: Context,
): Promise<Remains> {
  const list = async () =>
    resource.verbs.includes("list") ? await client.listAll(resource, { namespace }) : [];
  const nothing = { resource, count: 0, finalizers: new Map<string, number>() };
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
    return { resource, count: left.length, finalizers };
  } catch (error) {
    // The resource was removed meanwhile, or can't be listed: there is nothing to delete.
    if (isStatusError(error) && (error.code === 404 || error.code === 405)) return nothing;
    throw error;
  }
}
