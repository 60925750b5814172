import type { DaemonSet } from "#/api/apps/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { setPodTemplateDefaults } from "../../core/pod-spec/pod-defaults.ts";
import { annotatedNumber } from "../../workloads/internal-annotation.ts";

/** Counts the changes of the template; v1 has no field for it. */
export const generationAnnotation = "deprecated.daemonset.template.generation";

/** Sets the defaults of a daemon set. Upstream: pkg/apis/apps/v1/defaults.go, conversion.go. */
export function setDaemonSetDefaults({ metadata, spec }: Decoded<DaemonSet>): void {
  spec.updateStrategy ??= {};
  const { updateStrategy } = spec;
  updateStrategy.type ||= "RollingUpdate";
  if (updateStrategy.type === "RollingUpdate") {
    updateStrategy.rollingUpdate ??= {};
    updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  setPodTemplateDefaults(spec.template);
  setTemplateGeneration(metadata, templateGeneration(metadata));
}

/** The generation of the template, 0 if it has none; throws 400 when the annotation is no number. */
export const templateGeneration = (metadata: ObjectMeta): bigint =>
  annotatedNumber(metadata, generationAnnotation, { kind: "DaemonSet" }) ?? 0n;

export function setTemplateGeneration(metadata: ObjectMeta, generation: bigint): void {
  metadata.annotations ??= {};
  metadata.annotations[generationAnnotation] = String(generation);
}
