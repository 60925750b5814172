import type { Pod } from "#/api/core/v1.ts";
import { type FieldError, forbidden } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { lastByKey } from "#/std/base/by-key.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Decoded, RequestContext, ViewStrategy } from "../../../registry/strategy.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { coreInternalDiff } from "../../rules/internal-form.ts";
import { validateMetaUpdate } from "../../rules/object-meta-rules.ts";
import { dropDisabledPodFields } from "../pod-spec/drop-disabled-fields.ts";
import { mirrorAnnotation } from "../pod-spec/pod-annotations.ts";
import { podValidationOptions } from "../pod-spec/pod-validation-options.ts";
import { keepMetadata } from "./keep-metadata.ts";
import { countSpecChange, keepStatus } from "./prepare.ts";
import { validateAnnotationUpdate } from "./validate-annotation-update.ts";
import { validateMetaAndSpec } from "./validate-pod.ts";

/** Adds containers to a running pod. Upstream: pkg/registry/core/pod/strategy.go. */
export const ephemeralContainers: ViewStrategy<Pod> = {
  prepareForUpdate(pod, old, context) {
    const { ephemeralContainers: containers } = pod.spec;
    pod.spec = { ...old.spec };
    if (containers === undefined) delete pod.spec.ephemeralContainers;
    else pod.spec.ephemeralContainers = containers;
    keepStatus(pod, old);
    keepMetadata(pod, old);
    dropDisabledPodFields(pod, old, context);
    countSpecChange(pod, old);
  },
  validateUpdate: validateEphemeralContainersUpdate,
};

const path = fieldPath("spec", "ephemeralContainers");

/** Validation errors of an update of a Pod's ephemeral containers: they may only be added. */
function validateEphemeralContainersUpdate(
  pod: Decoded<Pod>,
  old: Decoded<Pod>,
  context: RequestContext,
): FieldError[] {
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) {
    return [forbidden(fieldPath(""), "static pods do not support ephemeral containers")];
  }
  const report = new FieldReport();
  const options = podValidationOptions(context, old);
  report.add(validateMetaUpdate(pod.metadata, old.metadata));
  report.add(validateMetaAndSpec(pod, options));
  validateAnnotationUpdate(report, pod, old, options);
  const byName = lastByKey(pod.spec.ephemeralContainers ?? [], ({ name }) => name);
  for (const before of old.spec.ephemeralContainers ?? []) {
    const name = goQuote(before.name);
    const now = byName.get(before.name);
    if (now === undefined) {
      report.forbidden(path, "", `existing ephemeral containers ${name} may not be removed\n`);
    } else if (!deepEqual(now, before)) {
      const diff = coreInternalDiff("EphemeralContainer", before, now);
      const detail = `existing ephemeral containers ${name} may not be changed\n${diff}`;
      report.forbidden(path, "", detail);
    }
  }
  return report.errors;
}
