import type { Service } from "#/api/core/v1.ts";
import { isExternallyAccessible } from "./kinds-of-service.ts";

/** Default timeout of session affinity (seconds). */
const affinitySeconds = 10800;

/** Upstream: pkg/apis/core/v1/defaults.go (SetDefaults_Service). */
export function setServiceDefaults(service: Service): void {
  const { spec, status } = service;
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  else if (
    spec.sessionAffinity === "ClientIP" &&
    spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined
  ) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } };
  }
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    port.targetPort ||= port.port;
  }
  if (isExternallyAccessible(service)) spec.externalTrafficPolicy ||= "Cluster";
  if (spec.type !== "ExternalName" && isKnown(spec.type)) spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type !== "LoadBalancer") return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status?.loadBalancer?.ingress ?? []) {
    if (ingress.ip) ingress.ipMode ??= "VIP";
  }
}

const isKnown = (type: string): boolean =>
  type === "ClusterIP" || type === "NodePort" || type === "LoadBalancer";
