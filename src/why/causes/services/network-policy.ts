import { type Service, services } from "#/api/core/v1.ts";
import { networkPolicies } from "#/api/networking/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import { hasSelector, selectedPods } from "../../facts/service-pods.ts";

/** Whether a connection is denied depends on its source: the policies are named only. */
export const networkPolicy = cause<Service>({
  name: "network-policy",
  layer: "network",
  of: [services],
  find(service, view) {
    const found = hasSelector(service) ? (selectedPods(service, view) ?? []) : [];
    if (found.length === 0) return undefined;
    const { namespace } = service.metadata;
    const policies = (view.list(networkPolicies, { namespace }) ?? []).filter(
      ({ spec }) =>
        (spec?.policyTypes ?? ["Ingress"]).includes("Ingress") &&
        found.some(({ metadata }) =>
          compileLabelSelector(spec?.podSelector ?? {}).matches(metadata.labels),
        ),
    );
    if (policies.length === 0) return undefined;
    const closed = policies.every(({ spec }) => (spec?.ingress ?? []).length === 0);
    return {
      sentence: `NetworkPolicy ${names(policies.map(({ metadata }) => metadata.name ?? ""))} ${closed ? "denies all connections" : "limits connections"} to its Pods, where policies are enforced`,
      certainty: "likely",
      severity: closed ? "stuck" : "notice",
      fix: ["kubectl describe networkpolicies"],
    };
  },
});
