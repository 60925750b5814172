import type { Service, ServicePort } from "#/api/core/v1.ts";
import { needsClusterIP, needsHealthCheck, sameList, wantsNodePorts } from "./kinds-of-service.ts";

/**
 * Keeps addresses and ports that the server has allocated, if an update omits them.
 *
 * Upstream: pkg/registry/core/service/storage/storage.go (patchAllocatedValues, normalizeClusterIPs).
 */

/** Copies allocated values of the old Service to the new one, if it omits them and still needs them. */
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

/** Matches ports by name; a node port that the new Service uses for another port is not copied. */
function carryOverNodePorts(ports: readonly ServicePort[], old: readonly ServicePort[]): void {
  const before = new Map(old.map(({ name = "", nodePort }) => [name, nodePort]));
  const kept = new Set(ports.map(({ nodePort }) => nodePort));
  for (const port of ports) {
    if (port.nodePort) continue;
    const nodePort = before.get(port.name ?? "");
    if (nodePort && !kept.has(nodePort)) port.nodePort = nodePort;
  }
}

/** Makes clusterIP and clusterIPs consistent: clients may send only clusterIP. */
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
  // The client changed clusterIP and left clusterIPs unchanged.
  if (oldIP === clusterIP || !sameList(oldIPs, spec.clusterIPs)) return;
  if (clusterIP === "" && oldIP !== "") delete spec.clusterIPs;
  else spec.clusterIPs = [clusterIP];
}
