import type { Service } from "#/api/core/v1.ts";
import { quantityOf, zeroQuantity } from "../values/quantity.ts";
import { objectCountName, one, type QuotaEvaluator } from "./quota-evaluator.ts";

const countName = objectCountName("", "services");
const names = new Set([countName, "services", "services.nodeports", "services.loadbalancers"]);

/** Evaluates services. Upstream: pkg/quota/v1/evaluator/core/services.go. */
export const serviceEvaluator: QuotaEvaluator<Service> = {
  matchingResources: (limited) => [...limited].filter((name) => names.has(name)).sort(),
  handles: ({ operation, subresource }) =>
    subresource === "" && (operation === "CREATE" || operation === "UPDATE"),
  usage: ({ spec }) =>
    new Map([
      [countName, one],
      ["services", one],
      ["services.loadbalancers", spec?.type === "LoadBalancer" ? one : zeroQuantity],
      ["services.nodeports", quantityOf(nodePorts(spec))],
    ]),
};

function nodePorts(spec: Service["spec"]): number {
  const ports = spec?.ports ?? [];
  if (spec?.type === "NodePort") return ports.length;
  if (spec?.type !== "LoadBalancer") return 0;
  if (spec.allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort }) => nodePort).length;
}
