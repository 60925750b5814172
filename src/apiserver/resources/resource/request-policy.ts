import type { CapacityRequestPolicy, CapacityRequestPolicyRange } from "#/api/resource/v1.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  required,
  tooMany,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { negativeMessage } from "#/machinery/meta/names.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";

/**
 * Rules for the amount of a device's capacity that one claim may consume.
 *
 * Upstream: pkg/apis/resource/validation/validation.go.
 */
const maxValues = 10;

const largest = String(2n ** 63n - 1n);
const tooLarge = `must not be larger than ${largest}`;

const compare = (a: string, b: string): number => parseQuantity(a).compare(parseQuantity(b));

/** Validation errors of a policy for a capacity. */
export function validateRequestPolicy(
  capacity: string,
  policy: CapacityRequestPolicy,
  path: FieldPath,
): FieldError[] {
  const { validValues = [], validRange, default: standard } = policy;
  if (validValues.length > 0 && validRange) {
    const detail =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [forbidden(path, detail)];
  }
  if (validValues.length === 0 && !validRange) return [];
  const by = validRange ? "validRange" : "validValues";
  if (standard === undefined) {
    return [required(path.child("default"), `required when ${by} is defined`)];
  }
  return validRange
    ? validateRange({ standard, capacity }, validRange, path.child(by))
    : validateValues({ standard, capacity }, validValues, path.child(by));
}

interface Amounts {
  readonly standard: string;
  readonly capacity: string;
}

function validateValues(
  { standard, capacity }: Amounts,
  values: readonly string[],
  path: FieldPath,
): FieldError[] {
  const errors = values.slice(1).flatMap((value, index) => {
    const before = values[index] ?? value;
    if (compare(before, value) <= 0) return [];
    return [invalid(path.index(index + 1), value, "values must be sorted in ascending order")];
  });
  if (values.length > maxValues) errors.push(tooMany(path, values.length, maxValues));
  else {
    values.forEach((value, index) => {
      if (compare(value, capacity) <= 0) return;
      const detail = `option is larger than capacity value: ${capacity}`;
      errors.push(invalid(path.index(index), value, detail));
    });
    values.forEach((value, index) => {
      if (values.slice(0, index).some((other) => compare(other, value) === 0))
        errors.push(duplicate(path.index(index), String(wholeOf(value))));
    });
  }
  if (values.some((value) => compare(value, standard) === 0)) return errors;
  const detail = "default value is not valid according to the requestPolicy";
  return [...errors, invalid(path, standard, detail)];
}

function validateRange(
  { standard, capacity }: Amounts,
  { min, max, step }: Partial<CapacityRequestPolicyRange>,
  path: FieldPath,
): FieldError[] {
  if (min === undefined)
    return [required(path.child("min"), "required when validRange is defined")];
  const errors: FieldError[] = [];
  const check = (field: string, value: string, isWrong: boolean, detail: string) => {
    if (isWrong) errors.push(invalid(path.child(field), value, detail));
  };
  check("min", min, compare(min, capacity) > 0, `min is larger than capacity value: ${capacity}`);
  check("default", standard, compare(standard, min) < 0, `default is less than min: ${min}`);
  if (max !== undefined) {
    check("max", min, compare(min, max) > 0, `min is larger than max: ${max}`);
    check("max", max, compare(max, capacity) > 0, `max is larger than capacity value: ${capacity}`);
    check("default", standard, compare(standard, max) > 0, `default is more than max: ${max}`);
  }
  if (step === undefined) return errors;
  return [...errors, ...validateStep({ standard, capacity }, { min, max, step }, path)];
}

/** Steps are counted in whole numbers, which must fit Go's int64. */
function checkBounds(
  bounds: Readonly<Record<string, string | undefined>>,
  path: FieldPath,
): FieldError[] {
  return Object.entries(bounds).flatMap(([name, value = "0"]) => {
    if (compare(value, "0") < 0) return [invalid(path.child(name), value, negativeMessage)];
    return compare(value, largest) > 0 ? [invalid(path.child(name), value, tooLarge)] : [];
  });
}

function validateStep(
  { standard, capacity }: Amounts,
  { min, max, step }: { min: string; max: string | undefined; step: string },
  path: FieldPath,
): FieldError[] {
  const at = path.child("step");
  if (compare(step, "0") <= 0) return [invalid(at, step, "must be greater than zero")];
  const added = parseQuantity(min).add(parseQuantity(step)).toString();
  const errors =
    compare(added, capacity) > 0
      ? [invalid(at, step, `one step ${added} is larger than capacity value: ${capacity}`)]
      : [];
  const bounds = { default: standard, min, max, step };
  const unsafe = checkBounds(bounds, path);
  if (unsafe.length > 0) return [...errors, ...unsafe];
  for (const value of max === undefined ? [standard] : [standard, max]) {
    if ((wholeOf(value) - wholeOf(min)) % wholeOf(step) === 0n) continue;
    const detail = `value is not a multiple of a given step (${step}) from (${min})`;
    errors.push(invalid(at, value, detail));
  }
  return errors;
}

const wholeOf = (text: string): bigint => parseQuantity(text).scaledValue(0);
