import { type Service, services } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { ageMs, oneLine } from "../../base/text.ts";
import { eventLine } from "../../facts/pod-events.ts";

/** Limit of the time (ms) in which a load balancer's address is there without being remarkable. */
const slowMs = 10_000;

export const loadBalancerPending = cause<Service>({
  name: "load-balancer-pending",
  layer: "service",
  of: [services],
  find(service, view) {
    const { spec, status, metadata } = service;
    if (spec?.type !== "LoadBalancer" || (status?.loadBalancer?.ingress ?? []).length > 0)
      return undefined;
    if (metadata.deletionTimestamp) return undefined;
    const event = view.events(services, service).find(({ isWarning }) => isWarning);
    if (!event && ageMs(metadata.creationTimestamp, view.nowMs) < slowMs) return undefined;
    const ofClass = spec.loadBalancerClass
      ? ` for its loadBalancerClass "${spec.loadBalancerClass}"`
      : "";
    return {
      sentence: event
        ? `its load balancer cannot be made (${event.reason}): ${oneLine(event.message, 200)}`
        : `it has no load balancer address: no controller${ofClass} has given it one (EXTERNAL-IP pending)`,
      certainty: event || ofClass ? "proven" : "likely",
      since: metadata.creationTimestamp,
      evidence: event ? [eventLine(event, view.nowMs)] : ["no event about a load balancer"],
      fix: [
        "k8ts logs cloud-controller-manager",
        "# or use type NodePort, or kubectl port-forward",
      ],
    };
  },
});
