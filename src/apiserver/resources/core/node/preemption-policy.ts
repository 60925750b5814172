import type { NodePodPreemptionPolicy } from "#/api/core/v1.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  tooMany,
} from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isQualifiedName } from "#/machinery/meta/names.ts";
import type { RequestContext } from "../../../registry/strategy.ts";

const maxKeys = 20;

/**
 * Validation errors of a node's preemption policy.
 *
 * Upstream: pkg/apis/core/v1/zz_generated.validations.go (NodePodPreemptionPolicy).
 */
export function validatePreemptionPolicy(
  policy: NodePodPreemptionPolicy | undefined,
  context: RequestContext,
): FieldError[] {
  if (!policy) return [];
  const path = fieldPath("spec", "podPreemptionPolicy");
  if (!context.enabled("InPlacePodVerticalScalingSchedulerPreemption")) {
    return [forbidden(path, "")];
  }
  const at = path.child("disableResizePreemption");
  const { disableResizePreemption: keys = [] } = policy;
  if (keys.length > maxKeys) return [tooMany(at, keys.length, maxKeys)];
  return [
    ...keys.flatMap((key, index) =>
      isQualifiedName(key).map((problem) => invalid(at.index(index), key, problem)),
    ),
    ...keys.flatMap((key, index) =>
      keys.indexOf(key) < index ? [duplicate(at.index(index), key)] : [],
    ),
  ];
}
