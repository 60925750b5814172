import type { ServicePort as ApiPort, Protocol, Service } from "#/api/core/v1.ts";
import { type Cidr, formatCidr } from "#/std/net/cidr.ts";
import { addressesOf, type IpFamily, networksOf, parseAddress } from "./ip-family.ts";

/** One port of a Service in one address family, with all properties that decide its routing. */
export interface ServicePort {
  /** `namespace/name:port`, or `namespace/name` if the port has no name. */
  readonly title: string;
  readonly namespace: string;
  readonly name: string;
  readonly portName: string;
  readonly protocol: Protocol;
  readonly clusterIp: string;
  readonly port: number;
  /** 0 if there is none. */
  readonly nodePort: number;
  readonly externalIps: readonly string[];
  readonly loadBalancerIps: readonly string[];
  /** Clients that may use the load balancer's addresses; empty means all. */
  readonly sourceRanges: readonly Cidr[];
  /** 0 if there is none. */
  readonly healthCheckNodePort: number;
  /** Session affinity timeout in seconds; undefined without session affinity. */
  readonly affinitySeconds: number | undefined;
  readonly externalLocal: boolean;
  readonly internalLocal: boolean;
}

/**
 * The ports of a Service in one family; none for headless and ExternalName services.
 * Upstream: pkg/proxy/serviceport.go, pkg/proxy/servicechangetracker.go.
 */
export function servicePorts(service: Service, family: IpFamily): ServicePort[] {
  const spec = service.spec;
  if (spec?.type === "ExternalName" || !spec?.clusterIP || spec.clusterIP === "None") return [];
  const [clusterIp] = addressesOf(family, [clusterIpOf(service, family)]);
  if (clusterIp === undefined) return [];
  const { namespace = "", name = "" } = service.metadata;
  const shared = {
    namespace,
    name,
    clusterIp,
    externalIps: addressesOf(family, spec.externalIPs ?? []),
    loadBalancerIps: addressesOf(family, virtualIps(service)),
    sourceRanges: sourceRanges(service, family),
    healthCheckNodePort: needsHealthCheck(service) ? (spec.healthCheckNodePort ?? 0) : 0,
    affinitySeconds: affinitySeconds(service),
    externalLocal: externalLocal(service),
    internalLocal: spec.internalTrafficPolicy === "Local",
  };
  return (spec.ports ?? []).map((port) => ({ ...shared, ...ownFields(port, namespace, name) }));
}

function ownFields(port: ApiPort, namespace: string, name: string) {
  const portName = port.name ?? "";
  return {
    title: portName === "" ? `${namespace}/${name}` : `${namespace}/${name}:${portName}`,
    portName,
    protocol: port.protocol ?? "TCP",
    port: port.port,
    nodePort: port.nodePort ?? 0,
  };
}

/** Whether a port has an address other than its cluster IP. */
export function externallyAccessible(port: ServicePort): boolean {
  return port.nodePort !== 0 || port.loadBalancerIps.length > 0 || port.externalIps.length > 0;
}

/**
 * Whether any traffic goes to endpoints on all nodes: external traffic always may, since traffic
 * from this node and its pods ignores a Local policy.
 */
export function usesClusterEndpoints(port: ServicePort): boolean {
  return !port.internalLocal || externallyAccessible(port);
}

/** Whether any traffic goes only to endpoints on this node. */
export function usesLocalEndpoints(port: ServicePort): boolean {
  return port.internalLocal || (port.externalLocal && externallyAccessible(port));
}

function clusterIpOf({ spec }: Service, family: IpFamily): string {
  const families = spec?.ipFamilies ?? [];
  if (families.length === 0) return spec?.clusterIP ?? "";
  return spec?.clusterIPs?.[families.indexOf(family)] ?? "";
}

/** The load balancer addresses with IP mode VIP: packets arrive with this destination. */
function virtualIps({ status }: Service): string[] {
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, ipMode = "VIP" }) =>
    ip && ipMode === "VIP" && parseAddress(ip) ? [ip] : [],
  );
}

function sourceRanges({ spec }: Service, family: IpFamily): Cidr[] {
  const ranges = networksOf(family, spec?.loadBalancerSourceRanges ?? []);
  if (ranges.some(({ prefixLength }) => prefixLength === 0)) return [];
  return [...new Map(ranges.map((range) => [formatCidr(range), range])).values()];
}

function affinitySeconds({ spec }: Service): number | undefined {
  if (spec?.sessionAffinity !== "ClientIP") return undefined;
  return spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? defaultAffinitySeconds;
}

/** Three hours, as the API server sets it. */
const defaultAffinitySeconds = 10_800;

function externalLocal({ spec }: Service): boolean {
  const external =
    spec?.type === "LoadBalancer" ||
    spec?.type === "NodePort" ||
    (spec?.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);
  return external && spec?.externalTrafficPolicy === "Local";
}

function needsHealthCheck(service: Service): boolean {
  return service.spec?.type === "LoadBalancer" && externalLocal(service);
}
