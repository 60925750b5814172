/** Upstream: pkg/controller/endpointslice. */
import { type Node, nodes, type Pod, pods, type Service, services } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import type { StepSink } from "#/client/journey/recorder.ts";
import { refOf } from "#/client/object-key.ts";
import { type ControllerContext, controller, watch } from "#/controller/controller.ts";
import { newlyReady } from "#/machinery/journey/ready-endpoints.ts";
import { selectorFromLabels } from "#/machinery/meta/labels.ts";
import { ignoreNotFound, isNamespaceTerminating } from "#/machinery/meta/status-error.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { selectedObjects } from "../base/selected-objects.ts";
import { podsOnNode } from "../pods/pod-indexes.ts";
import { addressTypesOf, desiredGroups } from "./desired-endpoints.ts";
import { controllerName, managedByLabel, planSlices, serviceNameLabel } from "./plan-slices.ts";
import { serviceSelector, servicesOfPod } from "./services-of-pod.ts";

type Context = ControllerContext<ManagerOptions>;

const triggerTime = "endpoints.kubernetes.io/last-change-trigger-time";

/** Maintains the EndpointSlices of Services with a selector. */
export const endpointSliceController = controller<Service, ManagerOptions>({
  name: "endpointslice-controller",
  for: services,
  queue: "endpoint_slice",
  workers: ({ flags }) => flags["concurrent-service-endpoint-syncs"],
  retry: { backoff: exponentialBackoff({ baseMs: 1000, maxMs: 1_000_000 }) },
  watches: [
    watch(pods, servicesOfPod, { predicate: matters }),
    watch(endpointSlices, serviceOfSlice),
    watch(nodes, servicesOfNode, { predicate: zoneChanged }),
  ],
  reconcile,
});

/** Whether a change of a Pod can change its endpoints. */
function matters(now: Pod | undefined, old: Pod | undefined): boolean {
  if (!now || !old) return true;
  const facts = ({ metadata, spec, status }: Pod): unknown => [
    metadata.labels,
    metadata.deletionTimestamp !== undefined,
    spec?.nodeName,
    spec?.hostname,
    status?.podIPs,
    status?.phase,
    status?.conditions?.find(({ type }) => type === "Ready")?.status,
  ];
  return JSON.stringify(facts(now)) !== JSON.stringify(facts(old));
}

function serviceOfSlice({ metadata }: EndpointSlice): string[] {
  const name = metadata.labels?.[serviceNameLabel];
  if (!name || metadata.labels?.[managedByLabel] !== controllerName) return [];
  return [`${metadata.namespace}/${name}`];
}

const zoneOf = (node: Node | undefined): string | undefined =>
  node?.metadata.labels?.["topology.kubernetes.io/zone"];

function zoneChanged(now: Node | undefined, old: Node | undefined): boolean {
  return !now || !old || zoneOf(now) !== zoneOf(old);
}

/** The services that have endpoints on a node. */
function servicesOfNode({ metadata }: Node, context: Context): string[] {
  const there = podsOnNode(metadata.name ?? "", context.informers);
  return there.flatMap((pod) => servicesOfPod(pod, context));
}

async function reconcile(service: Service, context: Context): Promise<void> {
  const { informers, options, client } = context;
  const { name = "", namespace = "" } = service.metadata;
  const selector = serviceSelector(service);
  if (!selector || service.spec?.type === "ExternalName") return;
  const selected = selectedObjects(pods, namespace, selector, informers);
  const own = selectorFromLabels({ [serviceNameLabel]: name, [managedByLabel]: controllerName });
  const existing = selectedObjects(endpointSlices, namespace, own, informers).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  const types = addressTypesOf(service);
  const { store } = informers.informer(nodes);
  for (const type of types) {
    const groups = desiredGroups(service, selected, type, (node) => store.get("", node));
    const ofType = existing.filter(({ addressType }) => addressType === type);
    const most = options.flags["max-endpoints-per-slice"];
    await write(planSlices(service, type, groups, ofType, most), service, context);
  }
  for (const slice of existing.filter(
    ({ addressType }) => !types.some((one) => one === addressType),
  )) {
    await client.delete(endpointSlices, refOf(slice)).catch(ignoreNotFound);
  }
}

async function write(
  { create, update, remove }: ReturnType<typeof planSlices>,
  service: Service,
  { client, clock, steps, informers }: Context,
): Promise<void> {
  const { store } = informers.informer(endpointSlices);
  const report = (before: EndpointSlice | undefined, now: EndpointSlice, fromMs: number) =>
    reportReady(steps, { before, now, fromMs });
  const dated = (slice: EndpointSlice): EndpointSlice => {
    const annotations = {
      ...slice.metadata.annotations,
      [triggerTime]: new Date(clock.now()).toISOString(),
    };
    return { ...slice, metadata: { ...slice.metadata, annotations } };
  };
  for (const slice of service.metadata.deletionTimestamp ? [] : create) {
    try {
      const fromMs = steps.now();
      report(undefined, await client.create(endpointSlices, dated(slice)), fromMs);
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      throw error;
    }
  }
  for (const slice of update) {
    const { name = "", namespace } = slice.metadata;
    const before = store.get(namespace, name);
    const fromMs = steps.now();
    report(before, await client.update(endpointSlices, dated(slice)), fromMs);
  }
  for (const slice of remove)
    await client.delete(endpointSlices, refOf(slice)).catch(ignoreNotFound);
}

/** A step of each Pod that has become a ready endpoint with the write of a slice. */
function reportReady(
  steps: StepSink,
  {
    before,
    now,
    fromMs,
  }: {
    readonly before: EndpointSlice | undefined;
    readonly now: EndpointSlice;
    readonly fromMs: number;
  },
): void {
  if (!steps.isOn) return;
  const toMs = steps.now();
  const { name: slice, labels, resourceVersion: revision } = now.metadata;
  const facts = { service: labels?.[serviceNameLabel], slice, controller: controllerName };
  for (const { of } of newlyReady(before, now)) {
    steps.add({ of, layer: "service", name: "endpoint slice", fromMs, toMs, revision, facts });
  }
}
