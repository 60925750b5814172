import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import {
  completeResources,
  type ResourceSpec,
  type UtilizationShapePoint,
  validateShape,
} from "./argument-parts.ts";

/** The scoring strategy of NodeResourcesFit. */
export interface ScoringStrategy {
  readonly type: string;
  readonly resources: readonly ResourceSpec[];
  readonly requestedToCapacityRatio?: { readonly shape?: readonly UtilizationShapePoint[] };
}

export function completeStrategy(given: ScoringStrategy | undefined): ScoringStrategy {
  return {
    ...given,
    type: given === undefined ? "LeastAllocated" : given.type,
    resources: completeResources(given?.resources),
  };
}

const strategies = ["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"];

export function validateStrategy(
  { type, resources, requestedToCapacityRatio }: ScoringStrategy,
  path: FieldPath,
): FieldError[] {
  const errors = strategies.includes(type)
    ? []
    : [notSupported(path.child("type"), type, strategies)];
  resources.forEach(({ name, weight }, index) => {
    if (weight > 0 && weight <= 100) return;
    const text = `resource weight of ${name} not in valid range (0, 100]`;
    errors.push(invalid(path.child("resources").index(index).child("weight"), weight, text));
  });
  const at = path.child("requestedToCapacityRatio");
  const isRatio = type === "RequestedToCapacityRatio";
  if (isRatio && requestedToCapacityRatio === undefined) {
    errors.push(required(at, "must be specified when type is RequestedToCapacityRatio"));
  } else if (isRatio) {
    errors.push(...validateShape(requestedToCapacityRatio?.shape ?? [], at.child("shape")));
  } else if (requestedToCapacityRatio !== undefined) {
    errors.push(forbidden(at, "must be nil when type is not RequestedToCapacityRatio"));
  }
  return errors;
}
