import { type PodDisruptionBudget, podDisruptionBudgets } from "#/api/policy/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";

export const budgetBlocks = cause<PodDisruptionBudget>({
  name: "budget-allows-no-eviction",
  layer: "controllers",
  of: [podDisruptionBudgets],
  find({ spec, status, metadata }) {
    if (!status || status.disruptionsAllowed > 0 || metadata.deletionTimestamp) return undefined;
    const { currentHealthy, desiredHealthy, expectedPods, conditions } = status;
    const condition = findCondition(conditions, "DisruptionAllowed");
    const rule =
      spec?.minAvailable === undefined
        ? `maxUnavailable ${spec?.maxUnavailable}`
        : `minAvailable ${spec.minAvailable}`;
    const isIdle = expectedPods === 0 && condition?.reason !== "SyncFailed";
    const why =
      condition?.reason === "SyncFailed"
        ? `it cannot be computed: ${oneLine(condition.message ?? "", 160)}`
        : expectedPods === 0
          ? "its selector matches no Pod"
          : currentHealthy < desiredHealthy
            ? `only ${currentHealthy} of the ${desiredHealthy} Pods that must be healthy are (of ${expectedPods})`
            : `${rule} of ${expectedPods} Pods leaves none that may be missing`;
    return {
      sentence: isIdle
        ? `it protects nothing: ${why}`
        : `it allows no eviction, which also blocks kubectl drain: ${why}`,
      evidence: [
        `${currentHealthy} healthy, ${desiredHealthy} wanted, ${expectedPods} in all (${rule})`,
      ],
      fix: ["# more replicas, or a weaker budget", "kubectl get pods --show-labels"],
    };
  },
});
