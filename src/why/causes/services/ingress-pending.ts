import { type Ingress, ingresses } from "#/api/networking/v1.ts";
import { cause } from "../../base/cause.ts";
import { ageMs, oneLine } from "../../base/text.ts";
import { eventLine } from "../../facts/pod-events.ts";

/** Limit of the time (ms) in which a controller takes up an Ingress. */
const slowMs = 30_000;

export const ingressPending = cause<Ingress>({
  name: "ingress-not-taken-up",
  layer: "service",
  group: "ingress",
  of: [ingresses],
  find(ingress, view) {
    const { status, metadata, spec } = ingress;
    // Whether a Service is there is seen directly: it may have been made after the event.
    const event = view
      .events(ingresses, ingress)
      .find(({ isWarning, reason }) => isWarning && reason !== "ServiceNotFound");
    if (event) {
      return {
        sentence: `its controller says (${event.reason}): ${oneLine(event.message, 200)}`,
        evidence: [eventLine(event, view.nowMs)],
      };
    }
    if ((status?.loadBalancer?.ingress ?? []).length > 0 || metadata.deletionTimestamp)
      return undefined;
    if (ageMs(metadata.creationTimestamp, view.nowMs) < slowMs) return undefined;
    return {
      sentence: `it has no address: no controller of its class "${spec?.ingressClassName ?? "(default)"}" has taken it up`,
      certainty: "likely",
      since: metadata.creationTimestamp,
      fix: ["kubectl get ingressclasses", "kubectl get pods -A | grep ingress"],
    };
  },
});
