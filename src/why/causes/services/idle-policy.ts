import { pods } from "#/api/core/v1.ts";
import { type NetworkPolicy, networkPolicies } from "#/api/networking/v1.ts";
import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { cause } from "../../base/cause.ts";

/** A policy of Pods that there are none of. */
export const idlePolicy = cause<NetworkPolicy>({
  name: "network-policy-idle",
  layer: "network",
  of: [networkPolicies],
  find({ spec, metadata }, view) {
    const labelSelector = formatLabelSelector(spec?.podSelector);
    if (!labelSelector) return undefined;
    const found = view.list(pods, { namespace: metadata.namespace, labelSelector });
    if (found?.length !== 0) return undefined;
    return {
      sentence: `it protects nothing: its podSelector ${labelSelector} matches no Pod`,
      fix: ["kubectl get pods --show-labels"],
    };
  },
});
