import { nodes } from "#/api/core/v1.ts";
import { withTaint } from "#/machinery/pods/taints.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";

const key = "node.kubernetes.io/not-ready";

/** Taints a new node as not ready. Upstream: plugin/pkg/admission/nodetaint/admission.go. */
export const taintNodesByCondition = admissionPlugin({
  name: "TaintNodesByCondition",
  on: nodes,
  operations: ["CREATE"],
  mutate({ object: node }) {
    node.spec ??= {};
    const { taints } = node.spec;
    if (taints?.some((taint) => taint.key === key && taint.effect === "NoSchedule")) return;
    node.spec.taints = [...withTaint(taints, { key, effect: "NoSchedule" })];
  },
});
