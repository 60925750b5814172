import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";

/** A resource with its weight. */
export interface ResourceSpec {
  readonly name: string;
  readonly weight: number;
}

const defaultResources: readonly ResourceSpec[] = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 },
];

/** Defaults: CPU and memory if the list is empty, and weight 1 if a weight is absent. */
export function completeResources(
  resources: readonly Partial<ResourceSpec>[] | undefined,
): ResourceSpec[] {
  if (resources === undefined || resources.length === 0) return [...defaultResources];
  return resources.map(({ name = "", weight }) => ({ name, weight: weight || 1 }));
}

/** One point of a function from utilization to score. */
export interface UtilizationShapePoint {
  /** In percent. */
  readonly utilization: number;
  /** 0…10. */
  readonly score: number;
}

export function validateShape(
  shape: readonly UtilizationShapePoint[],
  path: FieldPath,
): FieldError[] {
  if (shape.length === 0) return [required(path, "at least one point must be specified")];
  const errors: FieldError[] = [];
  const unsorted = shape.findIndex((point, index) => {
    return index > 0 && (shape[index - 1]?.utilization ?? 0) >= point.utilization;
  });
  if (unsorted >= 0) {
    const at = path.index(unsorted).child("utilization");
    const text = "values must be sorted in increasing order";
    errors.push(invalid(at, shape[unsorted]?.utilization, text));
  }
  shape.forEach(({ utilization, score }, index) => {
    errors.push(...validateRange(utilization, 0, 100, path.index(index).child("utilization")));
    errors.push(...validateRange(score, 0, 10, path.index(index).child("score")));
  });
  return errors;
}

export function validateRange(
  value: number,
  min: number,
  max: number,
  path: FieldPath,
): FieldError[] {
  if (value >= min && value <= max) return [];
  return [invalid(path, value, `not in valid range [${min}, ${max}]`)];
}
