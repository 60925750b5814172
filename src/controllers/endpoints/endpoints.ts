/** Upstream: pkg/controller/endpoint/endpoints_controller.go. */
import {
  type EndpointAddress,
  type EndpointSubset,
  type Endpoints,
  endpoints,
  type Pod,
  pods,
  type Service,
  services,
} from "#/api/core/v1.ts";
import { keyOf } from "#/client/object-key.ts";
import { type ControllerContext, controller, watch } from "#/controller/controller.ts";
import { selectorFromLabels } from "#/machinery/meta/labels.ts";
import { ignoreNotFound, isNamespaceTerminating } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { parseNetIp } from "#/std/net/ip.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { selectedObjects } from "../base/selected-objects.ts";
import { addressTypesOf, findPort } from "../endpoint-slice/desired-endpoints.ts";
import { servicesOfPod } from "../endpoint-slice/services-of-pod.ts";
import { isFinished, isReady } from "../pods/pod-state.ts";
import { repack, truncate } from "./repack.ts";

type Context = ControllerContext<ManagerOptions>;

const managedBy = "endpoints.kubernetes.io/managed-by";
const ownName = "endpoint-controller";
const headless = "service.kubernetes.io/headless";
const triggerTime = "endpoints.kubernetes.io/last-change-trigger-time";
const overCapacity = "endpoints.kubernetes.io/over-capacity";
const leaderRecord = "control-plane.alpha.kubernetes.io/leader";

/** Maintains the Endpoints of Services with a selector. */
export const endpointsController = controller<Service, ManagerOptions>({
  name: "endpoints-controller",
  eventSource: ownName,
  for: services,
  queue: "endpoint",
  workers: ({ flags }) => flags["concurrent-endpoint-syncs"],
  watches: [
    watch(pods, servicesOfPod, { predicate: matters }),
    watch(endpoints, (object) => [keyOf(object)], { predicate: (now) => now === undefined }),
  ],
  start({ informers }, enqueue) {
    // Also deletes Endpoints whose Service was deleted before the start.
    for (const object of informers.informer(endpoints).store.list()) {
      if (object.metadata.annotations?.[leaderRecord] === undefined) enqueue(keyOf(object));
    }
  },
  reconcile,
  async gone({ name, namespace }, { client }) {
    await client.delete(endpoints, { name, namespace }).catch(ignoreNotFound);
  },
});

/** Whether a change of a Pod can change its endpoints. */
function matters(now: Pod | undefined, old: Pod | undefined): boolean {
  if (!now || !old) return true;
  const facts = (pod: Pod): unknown => [
    pod.metadata.labels,
    pod.metadata.deletionTimestamp !== undefined,
    pod.spec?.nodeName,
    pod.spec?.hostname,
    pod.status?.podIPs,
    pod.status?.phase,
    isReady(pod),
  ];
  return !deepEqual(facts(now), facts(old));
}

async function reconcile(service: Service, context: Context): Promise<void> {
  const { informers } = context;
  const { name = "", namespace = "" } = service.metadata;
  const { selector, type } = service.spec ?? {};
  if (selector === undefined || type === "ExternalName") return;
  const selected = selectedObjects(pods, namespace, selectorFromLabels(selector), informers);
  const { subsets, isTruncated } = truncate(subsetsOf(service, selected));
  const current = informers.informer(endpoints).store.get(namespace, name);
  const labels = labelsOf(service);
  const isSame =
    current &&
    deepEqual(current.subsets ?? [], subsets) &&
    deepEqual(current.metadata.labels ?? {}, labels) &&
    (current.metadata.annotations?.[overCapacity] !== undefined) === isTruncated;
  if (isSame) return;
  const { [overCapacity]: _, ...annotations } = current?.metadata.annotations ?? {};
  annotations[triggerTime] = new Date(context.clock.now()).toISOString();
  if (isTruncated) annotations[overCapacity] = "truncated";
  const metadata = { ...(current?.metadata ?? { name, namespace }), labels, annotations };
  await write({ ...current, metadata, subsets }, current === undefined, context);
}

/** The subsets of a Service's Pods. */
function subsetsOf(service: Service, selected: readonly Pod[]): EndpointSubset[] {
  const { ports = [], clusterIP, publishNotReadyAddresses = false } = service.spec ?? {};
  const subsets: EndpointSubset[] = [];
  for (const pod of selected) {
    const address = addressOf(service, pod);
    const isBeingDeleted = pod.metadata.deletionTimestamp !== undefined;
    if (!address || isFinished(pod) || (isBeingDeleted && !publishNotReadyAddresses)) continue;
    const field = publishNotReadyAddresses || isReady(pod) ? "addresses" : "notReadyAddresses";
    if (ports.length === 0 && clusterIP === "None") subsets.push({ [field]: [address] });
    for (const servicePort of ports) {
      const port = findPort(pod, servicePort);
      if (port === undefined) continue;
      const { name, protocol = "TCP", appProtocol } = servicePort;
      const own = {
        ...(name ? { name } : {}),
        port,
        protocol,
        ...(appProtocol === undefined ? {} : { appProtocol }),
      };
      subsets.push({ [field]: [address], ports: [own] });
    }
  }
  return repack(subsets);
}

/** A pod's address of the service's first family. */
function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
  const [type] = addressTypesOf(service);
  const family = type === "IPv6" ? 6 : 4;
  const all = pod.status?.podIPs ?? (pod.status?.podIP ? [{ ip: pod.status.podIP }] : []);
  const found = all.find(({ ip }) => parseNetIp(ip, { sloppy: true })?.family === family);
  if (!found) return undefined;
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const { nodeName, hostname, subdomain } = pod.spec ?? {};
  const isNamed = hostname && subdomain === service.metadata.name;
  return {
    ip: found.ip,
    ...(isNamed ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

function labelsOf({ metadata, spec }: Service): Record<string, string> {
  const { [headless]: _, ...own } = metadata.labels ?? {};
  const isHeadless = !spec?.clusterIP || spec.clusterIP === "None";
  return { ...own, ...(isHeadless ? { [headless]: "" } : {}), [managedBy]: ownName };
}

async function write(
  object: Endpoints,
  isNew: boolean,
  { client, recorder }: Context,
): Promise<void> {
  try {
    if (isNew) await client.create(endpoints, object);
    else await client.update(endpoints, object);
  } catch (error) {
    if (isNew && isNamespaceTerminating(error)) return;
    const { message } = error as Error;
    const about = { apiVersion: "v1", kind: "Endpoints", ...object };
    if (isNew) {
      const text = `Failed to create endpoint for service ${keyOf(object)}: ${message}`;
      recorder.event(about, "Warning", "FailedToCreateEndpoint", text);
    } else {
      const text = `Failed to update endpoint ${keyOf(object)}: ${message}`;
      recorder.event(about, "Warning", "FailedToUpdateEndpoint", text);
    }
    throw error;
  }
}
