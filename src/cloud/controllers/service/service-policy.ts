/** Upstream: staging/src/k8s.io/cloud-provider/controllers/service/controller.go, …/service/helpers/helper.go. */
import type { Service, ServicePort } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";

/** Keeps a Service until its load balancer is deleted. */
export const cleanupFinalizer = "service.kubernetes.io/load-balancer-cleanup";

export const hasCleanupFinalizer = ({ metadata }: Service): boolean =>
  metadata.finalizers?.includes(cleanupFinalizer) ?? false;

/** Whether this provider must balance the Service; `ownClass` is the class that it handles besides none. */
export function wantsLoadBalancer({ spec }: Service, ownClass: string | undefined): boolean {
  if (spec?.type !== "LoadBalancer") return false;
  const { loadBalancerClass } = spec;
  return loadBalancerClass === undefined || loadBalancerClass === ownClass;
}

/** Whether the Service has a load balancer that it must not have any more. */
export function needsCleanup(service: Service): boolean {
  if (!hasCleanupFinalizer(service)) return false;
  return service.metadata.deletionTimestamp !== undefined || service.spec?.type !== "LoadBalancer";
}

/** Whether a change of a Service may change its load balancer. */
export function needsUpdate(old: Service, now: Service, ownClass: string | undefined): boolean {
  const [wanted, wants] = [wantsLoadBalancer(old, ownClass), wantsLoadBalancer(now, ownClass)];
  if (!wanted && !wants) return false;
  if (wanted !== wants) return true;
  return !deepEqual(relevantFields(old), relevantFields(now));
}

/** The fields that load balancers depend on; absent and empty are one value. */
function relevantFields({ metadata, spec = {} }: Service) {
  return {
    uid: metadata.uid,
    annotations: metadata.annotations ?? {},
    ports: (spec.ports ?? []).map(portFields),
    sourceRanges: spec.loadBalancerSourceRanges ?? [],
    sessionAffinity: spec.sessionAffinity ?? "",
    sessionAffinityConfig: spec.sessionAffinityConfig,
    loadBalancerIP: spec.loadBalancerIP ?? "",
    externalIPs: spec.externalIPs ?? [],
    externalTrafficPolicy: spec.externalTrafficPolicy ?? "",
    healthCheckNodePort: spec.healthCheckNodePort ?? 0,
    // The order never changes, only the number.
    ipFamilies: spec.ipFamilies?.length ?? 0,
  };
}

const portFields = ({ name, protocol, port, nodePort, targetPort, appProtocol }: ServicePort) => ({
  name,
  protocol,
  port,
  nodePort,
  targetPort,
  appProtocol,
});
