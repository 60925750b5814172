import type { Deployment } from "#/api/apps/v1.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { setPodTemplateDefaults } from "../../core/pod-spec/pod-defaults.ts";
import { annotatedNumber } from "../../workloads/internal-annotation.ts";

/** Revision for a rollback of a deployment; v1 has no field for it. */
export const rollbackAnnotation = "deprecated.deployment.rollback.to";

/** Sets the defaults of a deployment. Upstream: pkg/apis/apps/v1/defaults.go, conversion.go. */
export function setDeploymentDefaults({ metadata, spec }: Decoded<Deployment>): void {
  spec.replicas ??= 1;
  spec.strategy ??= {};
  const { strategy } = spec;
  strategy.type ||= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= "25%";
    strategy.rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  setPodTemplateDefaults(spec.template);
  const { annotations } = metadata;
  if (annotations?.[rollbackAnnotation] === "") delete annotations[rollbackAnnotation];
  const revision = rollbackRevision(metadata);
  if (annotations && revision !== undefined) annotations[rollbackAnnotation] = String(revision);
}

/** The revision that the annotation names; throws 400 when it is no number. */
export function rollbackRevision(metadata: Deployment["metadata"]): bigint | undefined {
  const text = metadata.annotations?.[rollbackAnnotation];
  const prefix = `failed to parse annotation[${rollbackAnnotation}]=${text} as int64: `;
  return annotatedNumber(metadata, rollbackAnnotation, { kind: "Deployment", prefix });
}
