import { type Service, services } from "#/api/core/v1.ts";
import { networkPolicies } from "#/api/networking/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { cause } from "../../base/cause.ts";
import { names, oneLine, timeOf } from "../../base/text.ts";
import { deniedConnection } from "../../facts/denied-connections.ts";
import { eventLine } from "../../facts/pod-events.ts";
import { closedFor } from "../../facts/services/policy-openings.ts";
import { hasSelector, selectedPods } from "../../facts/services/service-pods.ts";

/** Whether a connection is denied depends on its source: unless a node has denied one, the policies are named only. */
export const networkPolicy = cause<Service>({
  name: "network-policy",
  layer: "network",
  isFeltAbove: true,
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
    const severity = closed ? "stuck" : "notice";
    const fix = [`kubectl describe networkpolicies -n ${namespace}`];
    const [denied] = found
      .flatMap((pod) => deniedConnection(pod, view) ?? [])
      .filter(({ direction }) => direction === "ingress");
    if (denied) {
      const { event, policies: deniers } = denied;
      return {
        sentence: `traffic to its Pods is forbidden by ${deniers.join(", ")}: ${oneLine(event.message, 240)}`,
        severity,
        since: timeOf(event.firstMs),
        evidence: [eventLine(event, view.nowMs)],
        fix,
      };
    }
    const list = names(policies.map(({ metadata }) => metadata.name ?? ""));
    const why = closed ? undefined : closedFor(service, policies, found, view);
    if (why) {
      const evidence = [`its Pods are selected by the NetworkPolicies ${list}`];
      return { sentence: `NetworkPolicy ${list} ${why}`, certainty: "likely", evidence, fix };
    }
    return {
      sentence: `NetworkPolicy ${list} ${closed ? "denies all connections" : "limits connections"} to its Pods, where policies are enforced`,
      certainty: "likely",
      severity,
      fix,
    };
  },
});
