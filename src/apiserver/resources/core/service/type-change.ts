import type { Service } from "#/api/core/v1.ts";
import {
  hasNodePorts,
  isExternallyAccessible,
  needsClusterIP,
  needsHealthCheck,
  sameList,
} from "./kinds-of-service.ts";

/**
 * Clears fields that the new type of a Service does not use, if the client left them unchanged: it changed only the
 * type.
 *
 * Upstream: pkg/registry/core/service/strategy.go (dropTypeDependentFields).
 */
export function dropUnusedFields(service: Service, old: Service): void {
  const { spec } = service;
  if (needsClusterIP(old) && !needsClusterIP(service)) dropAddresses(service, old);
  if (hasNodePorts(old) && !hasNodePorts(service) && !hasNewNodePort(service, old)) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (
    needsHealthCheck(old) &&
    !needsHealthCheck(service) &&
    (spec.healthCheckNodePort ?? 0) === (old.spec.healthCheckNodePort ?? 0)
  ) {
    delete spec.healthCheckNodePort;
  }
  if (old.spec.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    const { allocateLoadBalancerNodePorts, loadBalancerClass } = old.spec;
    if (spec.allocateLoadBalancerNodePorts === allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts;
    }
    if (spec.loadBalancerClass === loadBalancerClass) delete spec.loadBalancerClass;
  }
  if (
    isExternallyAccessible(old) &&
    !isExternallyAccessible(service) &&
    spec.externalTrafficPolicy === old.spec.externalTrafficPolicy
  ) {
    delete spec.externalTrafficPolicy;
  }
  if (spec.type !== "LoadBalancer") delete service.status?.loadBalancer;
}

function dropAddresses({ spec }: Service, { spec: old }: Service): void {
  const same =
    (spec.clusterIP ?? "") === (old.clusterIP ?? "") && sameList(spec.clusterIPs, old.clusterIPs);
  if (same) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (sameList(spec.ipFamilies, old.ipFamilies)) delete spec.ipFamilies;
  if (spec.ipFamilyPolicy === old.ipFamilyPolicy) delete spec.ipFamilyPolicy;
}

function hasNewNodePort(service: Service, old: Service): boolean {
  const before = new Set((old.spec.ports ?? []).map(({ nodePort }) => nodePort));
  return (service.spec.ports ?? []).some(({ nodePort }) => nodePort && !before.has(nodePort));
}
