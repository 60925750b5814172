import { type Deployment, deployments } from "#/api/apps/v1.ts";
import { cause } from "../../base/cause.ts";
import { findProgressing } from "../../facts/rollout.ts";

export const deploymentPaused = cause<Deployment>({
  name: "deployment-paused",
  layer: "controllers",
  isIntended: true,
  of: [deployments],
  find(deployment) {
    const { spec, status = {}, metadata } = deployment;
    if (!spec.paused) return undefined;
    const { replicas = 0, updatedReplicas = 0 } = status;
    const isWhole = updatedReplicas === (spec.replicas ?? 1) && replicas === updatedReplicas;
    return {
      sentence: `its rollout is paused (spec.paused), so changes of its template are not rolled out: ${updatedReplicas} of ${spec.replicas ?? 1} replicas are of the latest template`,
      severity: isWhole ? "notice" : "stuck",
      since: findProgressing(deployment)?.lastTransitionTime,
      fix: [`kubectl rollout resume deployment/${metadata.name}`],
    };
  },
});
