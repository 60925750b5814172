import type { Pod, PodSpec } from "#/api/core/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import type { Decoded, RequestContext } from "../../../registry/strategy.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { validateNamespacedMeta } from "../../rules/object-meta-rules.ts";
import type { PodGates, PodValidationOptions } from "../pod-spec/base/pod-gates.ts";
import { validatePodAnnotations, validateProfileAnnotations } from "../pod-spec/pod-annotations.ts";
import { podValidationOptions } from "../pod-spec/pod-validation-options.ts";
import { validateImageText } from "../pod-spec/validate-containers.ts";
import { validatePodSpec } from "../pod-spec/validate-pod-spec.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const specPath = fieldPath("spec");
const annotationsPath = fieldPath("metadata", "annotations");

/** Validation errors of a new Pod; `ofSpec` is the result of validateNewSpec(). */
export function validatePod(
  pod: Decoded<Pod>,
  context: RequestContext,
  ofSpec?: readonly FieldError[],
): FieldError[] {
  const report = new FieldReport();
  const { metadata, spec } = pod;
  const options = podValidationOptions(context);
  report.add(validateMeta(pod, options));
  report.add(ofSpec ?? validateSpec(pod, options));
  if (spec.ephemeralContainers?.length) {
    report.forbidden(specPath, "ephemeralContainers", "cannot be set on create");
  }
  if (spec.nodeName && spec.schedulingGates?.length) {
    const detail = "cannot be set until all schedulingGates have been cleared";
    report.forbidden(specPath, "nodeName", detail);
  }
  validateProfileAnnotations(report, specPath, { annotations: metadata.annotations, spec });
  return report.errors;
}

/** Checks the rules that apply to new Pods and to updates. */
export function validateMetaAndSpec(
  pod: Decoded<Pod>,
  options: PodValidationOptions,
): FieldError[] {
  return [...validateMeta(pod, options), ...validateSpec(pod, options)];
}

function validateMeta(
  { metadata, spec }: Decoded<Pod>,
  options: PodValidationOptions,
): readonly FieldError[] {
  const report = new FieldReport();
  report.add(validateNamespacedMeta(metadata, nameIsDNSSubdomain));
  const annotated = { annotations: metadata.annotations, spec };
  validatePodAnnotations(report, annotationsPath, annotated, options);
  return report.errors;
}

/** Validation errors of the spec of a new Pod; undefined if they depend on the Pod's metadata. */
export function validateNewSpec(spec: PodSpec, gates: PodGates): readonly FieldError[] | undefined {
  if (dependsOnMetadata(spec)) return undefined;
  return validateSpec({ metadata: {}, spec }, podValidationOptions(gates));
}

/** Claims are named after the Pod; static Pods may have none. */
const dependsOnMetadata = ({ volumes, resourceClaims }: PodSpec): boolean =>
  resourceClaims !== undefined || (volumes?.some(({ ephemeral }) => ephemeral) ?? false);

function validateSpec(
  { metadata, spec }: Pick<Decoded<Pod>, "metadata" | "spec">,
  options: PodValidationOptions,
): FieldError[] {
  const report = new FieldReport();
  report.add(validatePodSpec(spec, specPath, { metadata, options }));
  if (!spec.serviceAccountName) validateNoTokens(report, spec.volumes);
  const { terminationGracePeriodSeconds: grace } = spec;
  report.nonNegative(specPath, "terminationGracePeriodSeconds", grace);
  spec.containers?.forEach((container, index) => {
    validateImageText(report, specPath.child("containers").index(index), container);
  });
  spec.initContainers?.forEach((container, index) => {
    validateImageText(report, specPath.child("initContainers").index(index), container);
  });
  return report.errors;
}

/** A Pod without a service account may not have token volumes. */
function validateNoTokens(report: FieldReport, volumes: Pod["spec"]["volumes"] = []): void {
  volumes.forEach(({ projected }, index) => {
    projected?.sources?.forEach(({ serviceAccountToken }, position) => {
      if (!serviceAccountToken) return;
      const at = specPath.child("volumes").index(index).child("projected").child("sources");
      const detail = "must not be specified when serviceAccountName is not set";
      report.forbidden(at.index(position), "serviceAccountToken", detail);
    });
  });
}
