import type { Service, ServicePort } from "#/api/core/v1.ts";
import { needsClusterIP, needsHealthCheck, sameList, wantsNodePorts } from "./kinds-of-service.ts";

/**
 * What an update that says nothing of it keeps: addresses and ports that the server has chosen.
 *
 * Upstream: pkg/registry/core/service/storage/storage.go (patchAllocatedValues, normalizeClusterIPs).
 */

/** Puts what the old Service was given into the new one, where that leaves it out and still needs it. */
export function carryOver(service: Service, old: Service): void {
  const { spec } = service;
  if (needsClusterIP(old) && needsClusterIP(service)) {
    if (!spec.clusterIP && old.spec.clusterIP) spec.clusterIP = old.spec.clusterIP;
    if (!spec.clusterIPs?.length && old.spec.clusterIPs) spec.clusterIPs = [...old.spec.clusterIPs];
  }
  if (wantsNodePorts(old) && wantsNodePorts(service)) {
    carryOverNodePorts(spec.ports ?? [], old.spec.ports ?? []);
  }
  if (needsHealthCheck(old) && needsHealthCheck(service) && old.spec.healthCheckNodePort) {
    spec.healthCheckNodePort ||= old.spec.healthCheckNodePort;
  }
}

/** By the names of ports; a node port that the new Service has elsewhere is not given twice. */
function carryOverNodePorts(ports: readonly ServicePort[], old: readonly ServicePort[]): void {
  const before = new Map(old.map(({ name = "", nodePort }) => [name, nodePort]));
  const kept = new Set(ports.map(({ nodePort }) => nodePort));
  for (const port of ports) {
    if (port.nodePort) continue;
    const nodePort = before.get(port.name ?? "");
    if (nodePort && !kept.has(nodePort)) port.nodePort = nodePort;
  }
}

/** Clients may speak of one address alone: clusterIP and clusterIPs are brought together. */
export function alignClusterIPs(service: Service, old?: Service): void {
  const { spec } = service;
  if (!old) {
    if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  const { clusterIP: oldIP = "", clusterIPs: oldIPs } = old.spec;
  const { clusterIP = "" } = spec;
  if (oldIPs?.length && !spec.clusterIPs?.length && oldIP === clusterIP) {
    spec.clusterIPs = [...oldIPs];
  }
  // The client changed the singular and left the plural as it was.
  if (oldIP === clusterIP || !sameList(oldIPs, spec.clusterIPs)) return;
  if (clusterIP === "" && oldIP !== "") delete spec.clusterIPs;
  else spec.clusterIPs = [clusterIP];
}
