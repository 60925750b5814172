/** Upstream: pkg/controller/endpointslicemirroring. */
import { type Endpoints, endpoints, type Service, services } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import { keyOf, refOf } from "#/client/object-key.ts";
import type { ObjectRef } from "#/client/resource-path.ts";
import { type ControllerContext, controller, watch } from "#/controller/controller.ts";
import { selectorFromLabels } from "#/machinery/meta/labels.ts";
import { ignoreNotFound, isNamespaceTerminating } from "#/machinery/meta/status-error.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { selectedObjects } from "../base/selected-objects.ts";
import { managedByLabel, serviceNameLabel } from "../endpoint-slice/plan-slices.ts";
import { controllerName, mirror, planMirror } from "./mirrored-slices.ts";

type Context = ControllerContext<ManagerOptions>;

const skipLabel = "endpointslice.kubernetes.io/skip-mirror";
const leaderRecord = "control-plane.alpha.kubernetes.io/leader";

/**
 * Mirrors Endpoints that another writer made for a Service without a selector to EndpointSlices.
 */
export const endpointSliceMirroringController = controller<Endpoints, ManagerOptions>({
  name: "endpointslice-mirroring-controller",
  eventSource: "endpoint-slice-mirroring-controller",
  for: endpoints,
  queue: "endpoint_slice_mirroring",
  workers: ({ flags }) => flags["mirroring-concurrent-service-endpoint-syncs"],
  retry: { backoff: exponentialBackoff({ baseMs: 1000, maxMs: 100_000 }) },
  watches: [
    watch(services, (service) => [keyOf(service)], { predicate: selectionChanged }),
    watch(endpointSlices, endpointsOfSlice),
  ],
  reconcile,
  gone: (ref, context) => removeSlices(slicesOf(ref, context), context),
});

function selectionChanged(now: Service | undefined, old: Service | undefined): boolean {
  const selects = (one: Service | undefined): boolean => one?.spec?.selector !== undefined;
  return !now || !old || selects(now) !== selects(old);
}

function endpointsOfSlice({ metadata }: EndpointSlice): string[] {
  const name = metadata.labels?.[serviceNameLabel];
  if (!name || metadata.labels?.[managedByLabel] !== controllerName) return [];
  return [`${metadata.namespace}/${name}`];
}

function slicesOf(
  { name, namespace = "" }: ObjectRef,
  { informers }: Context,
): readonly EndpointSlice[] {
  const own = selectorFromLabels({ [serviceNameLabel]: name, [managedByLabel]: controllerName });
  return selectedObjects(endpointSlices, namespace, own, informers);
}

async function removeSlices(slices: readonly EndpointSlice[], { client }: Context): Promise<void> {
  for (const slice of slices) {
    await client.delete(endpointSlices, refOf(slice)).catch(ignoreNotFound);
  }
}

async function reconcile(object: Endpoints, context: Context): Promise<void> {
  const { client, informers, options, recorder } = context;
  const { labels, annotations, namespace, name = "" } = object.metadata;
  const existing = slicesOf(refOf(object), context);
  const isExcluded = labels?.[skipLabel] === "true" || annotations?.[leaderRecord] !== undefined;
  const service = informers.informer(services).store.get(namespace, name);
  if (isExcluded || !service || service.spec?.selector !== undefined) {
    await removeSlices(existing, context);
    return;
  }
  const most = options.flags["mirroring-max-endpoints-per-subset"];
  const { slices, invalidCount, skippedCount } = mirror(object, most);
  if (invalidCount > 0) {
    const message = `Skipped ${invalidCount} invalid IP addresses when mirroring to EndpointSlices`;
    recorder.event(object, "Warning", "InvalidIPAddress", message);
  }
  if (skippedCount > invalidCount) {
    const message = `A max of ${most} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skippedCount} addresses were skipped`;
    recorder.event(object, "Warning", "TooManyAddressesToMirror", message);
  }
  const plan = planMirror(slices, existing);
  for (const slice of object.metadata.deletionTimestamp ? [] : plan.create) {
    try {
      await client.create(endpointSlices, slice);
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      throw error;
    }
  }
  for (const slice of plan.update) await client.update(endpointSlices, slice);
  await removeSlices(plan.remove, context);
}
