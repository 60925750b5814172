import { duplicate, type FieldError, invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan, maxSubdomainLength } from "#/machinery/meta/names.ts";
import { goQuote } from "#/std/go/go-quote.ts";

const featurePattern = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;

/**
 * Validation errors of the features that a node declares: names of feature gates, sorted.
 *
 * Upstream: pkg/apis/core/validation/validation.go (validateNodeDeclaredFeatures).
 */
export function validateDeclaredFeatures(features: readonly string[]): FieldError[] {
  const path = fieldPath("status", "declaredFeatures");
  return features.flatMap((feature, index) => {
    const problem = featureProblem(feature);
    const errors = problem === undefined ? [] : [invalid(path.index(index), feature, problem)];
    const next = features[index + 1];
    if (next === feature) errors.push(duplicate(path.index(index + 1), next));
    else if (next !== undefined && next < feature) {
      errors.push(invalid(path.index(index + 1), next, "list must be sorted alphabetically"));
    }
    return errors;
  });
}

function featureProblem(name: string): string | undefined {
  const prefix = `invalid feature name ${goQuote(name)}: must`;
  if (isLongerThan(name, maxSubdomainLength)) {
    return `${prefix} be no more than ${maxSubdomainLength} characters`;
  }
  if (featurePattern.test(name)) return undefined;
  return `${prefix} start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`;
}
