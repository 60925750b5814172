/** Upstream: staging/src/k8s.io/endpointslice/utils.go, …/trafficdist. */
import type { Node, Pod, Service, ServicePort } from "#/api/core/v1.ts";
import type { Endpoint, EndpointPort } from "#/api/discovery/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { formatIp, parseNetIp } from "#/std/net/ip.ts";
import { isFinished } from "../pods/pod-state.ts";

export type AddressType = "IPv4" | "IPv6";

/** Endpoints with the same ports: the content of one or several slices. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

const zoneLabel = "topology.kubernetes.io/zone";

/** The address families of a service. */
export function addressTypesOf({ spec }: Service): AddressType[] {
  const families = (spec?.ipFamilies ?? []).filter((one) => one === "IPv4" || one === "IPv6");
  if (families.length > 0) return families;
  const { clusterIP = "" } = spec ?? {};
  if (clusterIP === "" || clusterIP === "None") return ["IPv4", "IPv6"];
  return [clusterIP.includes(":") ? "IPv6" : "IPv4"];
}

/** A key for a set of ports, independent of their order. */
export const portsKey = (ports: readonly EndpointPort[] | undefined): string =>
  (ports ?? [])
    .map(({ name = "", protocol = "", port = 0, appProtocol = "" }) =>
      [name, protocol, port, appProtocol].join("/"),
    )
    .sort()
    .join(" ");

/**
 * The desired endpoints of a Service for one family, by their ports. Pods on unknown nodes are left
 * out.
 */
export function desiredGroups(
  service: Service,
  pods: readonly Pod[],
  addressType: AddressType,
  findNode: (name: string) => Node | undefined,
): EndpointGroup[] {
  const groups = new Map<string, { ports: EndpointPort[]; endpoints: Endpoint[] }>();
  for (const pod of pods) {
    if (isFinished(pod) || !(pod.status?.podIP || pod.status?.podIPs?.length)) continue;
    const ports = portsOf(service, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    const node = findNode(pod.spec?.nodeName ?? "");
    if (!node && !service.spec?.publishNotReadyAddresses) continue;
    const endpoint = endpointOf(service, pod, node, addressType);
    if (endpoint.addresses.length > 0) group.endpoints.push(endpoint);
  }
  return [...groups.values()];
}

function portsOf({ spec }: Service, pod: Pod): EndpointPort[] {
  return (spec?.ports ?? []).flatMap((servicePort) => {
    const port = findPort(pod, servicePort);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

/** The target port number of a Service's port; undefined if the Pod has none of that name. */
export function findPort({ spec }: Pod, servicePort: ServicePort): number | undefined {
  const { targetPort, port, protocol = "TCP" } = servicePort;
  if (typeof targetPort !== "string") return targetPort ?? port;
  const sidecars = (spec?.initContainers ?? []).filter((one) => one.restartPolicy === "Always");
  return [...(spec?.containers ?? []), ...sidecars]
    .flatMap((container) => container.ports ?? [])
    .find((one) => one.name === targetPort && (one.protocol ?? "TCP") === protocol)?.containerPort;
}

function endpointOf(
  service: Service,
  pod: Pod,
  node: Node | undefined,
  addressType: AddressType,
): Endpoint {
  const serving = hasCondition(pod.status?.conditions, "Ready");
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const zone = node?.metadata.labels?.[zoneLabel];
  const { nodeName, hostname, subdomain } = pod.spec ?? {};
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const isNamed = hostname && subdomain === service.metadata.name;
  const endpoint: Endpoint = {
    addresses: addressesOf(pod, addressType),
    conditions: { ready, serving, terminating },
    ...(isNamed ? { hostname } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName ? { nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
  const hints = hintsOf(service, endpoint);
  return hints ? { ...endpoint, hints } : endpoint;
}

function addressesOf({ status }: Pod, addressType: AddressType): string[] {
  const family = addressType === "IPv6" ? 6 : 4;
  return (status?.podIPs ?? []).flatMap(({ ip: text }) => {
    const ip = parseNetIp(text, { sloppy: true });
    return ip?.family === family ? [formatIp(ip)] : [];
  });
}

const closeDistributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];

/** The topology hints of an endpoint: its zone or node, by the Service's traffic distribution. */
function hintsOf({ spec }: Service, { conditions, zone, nodeName }: Endpoint): Endpoint["hints"] {
  const wish = spec?.trafficDistribution ?? "";
  if (!conditions?.ready || !closeDistributions.includes(wish)) return undefined;
  const forZones = zone ? { forZones: [{ name: zone }] } : {};
  const forNodes = nodeName && wish === "PreferSameNode" ? { forNodes: [{ name: nodeName }] } : {};
  const hints = { ...forZones, ...forNodes };
  return Object.keys(hints).length > 0 ? hints : undefined;
}
