import { type Deployment, deployments } from "#/api/apps/v1.ts";
import { cause } from "../../base/cause.ts";
import { conditionLine } from "../../facts/conditions.ts";
import { findProgressing } from "../../facts/rollout.ts";

/** What is said about a rollout whose Pods do not say why they are not available. */
export const progressDeadline = cause<Deployment>({
  name: "progress-deadline",
  layer: "controllers",
  isFallback: true,
  of: [deployments],
  find(deployment, view) {
    const condition = findProgressing(deployment);
    if (condition?.reason !== "ProgressDeadlineExceeded") return undefined;
    const { spec, status, metadata } = deployment;
    return {
      sentence: `its rollout has made no progress within ${spec.progressDeadlineSeconds ?? 600} s (ProgressDeadlineExceeded): ${status?.availableReplicas ?? 0} of ${spec.replicas ?? 1} replicas are available`,
      since: condition.lastTransitionTime,
      evidence: [conditionLine(condition, view.nowMs)],
      fix: [`kubectl rollout undo deployment/${metadata.name}`],
    };
  },
});
