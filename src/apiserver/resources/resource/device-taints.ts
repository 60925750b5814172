import type { DeviceTaint, DeviceToleration } from "#/api/resource/v1.ts";
import {
  type FieldError,
  invalid,
  JsonValue,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelName } from "#/machinery/meta/label-selector.ts";
import { isLabelValue } from "#/machinery/meta/names.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { append } from "#/std/base/append.ts";

/** Upstream: pkg/apis/resource/validation/validation.go. */
const effects = ["NoExecute", "NoSchedule", "None"];
const operators = ["Equal", "Exists"];

/** Sets the time of taints that have none. */
export function stampTaints(taints: readonly DeviceTaint[] | undefined, now: number): void {
  for (const taint of taints ?? []) taint.timeAdded ??= formatTime(now);
}

/** Validation errors of a taint. */
export function validateDeviceTaint(
  path: FieldPath,
  taint: DeviceTaint,
  old?: DeviceTaint,
): FieldError[] {
  const { key = "", value = "" } = taint;
  const effect: string = taint.effect ?? "";
  const errors = validateLabelName(key, path.child("key"));
  append(errors, validateValue(path, value));
  if (old && old.effect === effect) return errors;
  if (effect === "") errors.push(required(path.child("effect")));
  else append(errors, validateEffect(path, effect));
  return errors;
}

/** Validation errors of a toleration. */
export function validateDeviceToleration(
  path: FieldPath,
  toleration: DeviceToleration,
): FieldError[] {
  const { key = "", value = "" } = toleration;
  const operator: string = toleration.operator ?? "";
  const effect: string = toleration.effect ?? "";
  const errors = key === "" ? [] : validateLabelName(key, path.child("key"));
  if (operator === "Exists" && value !== "") {
    errors.push(invalid(path.child("value"), value, "must be empty for operator `Exists`"));
  }
  if (operator === "Equal") append(errors, validateValue(path, value));
  if (operator === "") errors.push(required(path.child("operator")));
  else if (!operators.includes(operator)) {
    errors.push(notSupported(path.child("operator"), new JsonValue(operator), operators));
  }
  if (effect !== "") append(errors, validateEffect(path, effect));
  return errors;
}

const validateValue = (path: FieldPath, value: string): FieldError[] =>
  isLabelValue(value).map((problem) => invalid(path.child("value"), value, problem));

const validateEffect = (path: FieldPath, effect: string): FieldError[] =>
  effects.includes(effect)
    ? []
    : [notSupported(path.child("effect"), new JsonValue(effect), effects)];
