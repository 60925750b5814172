import { type Service, services } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { ageMs } from "../../base/text.ts";
import { hasSelector, readyEndpoints, selectedPods } from "../../facts/services/service-pods.ts";

/** Limit of the time (ms) in which a ready Pod becomes an endpoint. */
const slowMs = 15_000;

/** Ready Pods that have not become endpoints: the controller does not run. */
export const endpointsMissing = cause<Service>({
  name: "endpoints-not-written",
  layer: "controllers",
  group: "endpoints",
  of: [services],
  find(service, view) {
    if (!hasSelector(service) || service.spec?.type === "ExternalName") return undefined;
    const ready = (selectedPods(service, view) ?? []).filter(({ status }) => {
      const condition = findCondition(status?.conditions, "Ready");
      return (
        condition?.status === "True" && ageMs(condition.lastTransitionTime, view.nowMs) > slowMs
      );
    });
    const isNew = ageMs(service.metadata.creationTimestamp, view.nowMs) < slowMs;
    if (ready.length === 0 || isNew || readyEndpoints(service, view) !== 0) return undefined;
    return {
      sentence: `${ready.length} of its Pods are ready, but it has no endpoints: the EndpointSlice controller has not written them`,
      certainty: "likely",
      fix: ["k8ts status", "k8ts logs kube-controller-manager"],
    };
  },
});
