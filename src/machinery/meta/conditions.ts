import type { Condition } from "#/api/meta/v1.ts";
import { append } from "#/std/base/append.ts";
import { formatTime } from "../time/time.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  JsonValue,
  notSupported,
  required,
  tooLong,
} from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { validateLabelName } from "./label-selector.ts";
import { isLongerThan, patternMessage } from "./names.ts";

/** The fields that conditions of all kinds have. */
interface AnyCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
  observedGeneration?: number;
}

/** A condition; its transition time defaults to now. */
type Undated<T extends AnyCondition> = Omit<T, "lastTransitionTime"> & AnyCondition;

/** The condition of a type. */
export function findCondition<T extends AnyCondition>(
  conditions: readonly T[] | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition of a type exists and has this status. */
export function hasCondition(
  conditions: readonly AnyCondition[] | undefined,
  type: string,
  status = "True",
): boolean {
  return findCondition(conditions, type)?.status === status;
}

/**
 * The conditions with one set. Its transition time changes only with its status: to that of the new
 * condition, or to now. Returns the same list instance if nothing changes.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/api/meta/conditions.go.
 */
export function withCondition<T extends AnyCondition>(
  conditions: readonly T[] | undefined,
  condition: Undated<T>,
  nowMs: number,
): readonly T[] {
  return withDatedCondition(conditions, { lastTransitionTime: formatTime(nowMs), ...condition });
}

/**
 * As withCondition(), but for a condition with its own transition time, which is used if the status
 * changes.
 */
export function withDatedCondition<T extends AnyCondition>(
  conditions: readonly T[] | undefined,
  condition: Undated<T> & { lastTransitionTime: string },
): readonly T[] {
  const list = conditions ?? [];
  const at = list.findIndex(({ type }) => type === condition.type);
  const old = list[at];
  if (old === undefined) return [...list, condition as unknown as T];
  const sameStatus = old.status === condition.status;
  if (sameStatus && sameContent(old, condition)) return list;
  const since = sameStatus ? old.lastTransitionTime : undefined;
  const lastTransitionTime = since ?? condition.lastTransitionTime;
  return list.with(at, { ...old, ...condition, lastTransitionTime });
}

function sameContent(a: AnyCondition, b: AnyCondition): boolean {
  return (
    (a.reason ?? "") === (b.reason ?? "") &&
    (a.message ?? "") === (b.message ?? "") &&
    (a.observedGeneration ?? 0) === (b.observedGeneration ?? 0)
  );
}

/** The conditions without one. */
export function withoutCondition<T extends AnyCondition>(
  conditions: readonly T[] | undefined,
  type: string,
): readonly T[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}

const maxReasonBytes = 1024;
const maxMessageBytes = 32 * 1024;
const statuses = ["False", "True", "Unknown"];
const reasonPattern = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonMatcher = new RegExp(`^${reasonPattern}$`);
const reasonMessage = patternMessage(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reasonPattern,
  "my_name",
  "MY_NAME",
  "MyName",
  "ReasonA,ReasonB",
  "ReasonA:ReasonB",
);

/** The problem with the characters of a condition's reason; undefined if there is none. */
export const findReasonProblem = (reason: string): string | undefined =>
  reasonMatcher.test(reason) ? undefined : reasonMessage;

/**
 * Validates a list of metav1.Conditions.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go.
 */
export function validateConditions(
  conditions: readonly Condition[] | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  conditions?.forEach((condition, index) => {
    const at = path.index(index);
    if (seen.has(condition.type)) errors.push(duplicate(at, condition.type));
    seen.add(condition.type);
    append(errors, validateCondition(condition, at));
  });
  return errors;
}

function validateCondition(condition: Condition, path: FieldPath): FieldError[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, message } = condition;
  const errors = type
    ? validateLabelName(type, path.child("type"))
    : [required(path.child("type"), "is required")];
  if (!status) errors.push(required(path.child("status")));
  else if (!statuses.includes(status)) {
    errors.push(notSupported(path.child("status"), new JsonValue(status), statuses));
  }
  if (observedGeneration < 0) {
    const detail = "must be greater than or equal to zero";
    errors.push(invalid(path.child("observedGeneration"), observedGeneration, detail));
  }
  if (!lastTransitionTime) errors.push(required(path.child("lastTransitionTime")));
  append(errors, validateReason(condition.reason, path.child("reason")));
  if (isLongerThan(message ?? "", maxMessageBytes)) {
    errors.push(tooLong(path.child("message"), maxMessageBytes));
  }
  return errors;
}

function validateReason(reason: string | undefined, path: FieldPath): FieldError[] {
  if (!reason) return [required(path)];
  const errors: FieldError[] = [];
  const problem = findReasonProblem(reason);
  if (problem !== undefined) {
    errors.push(invalid(path, reason, problem));
  }
  if (isLongerThan(reason, maxReasonBytes)) errors.push(tooLong(path, maxReasonBytes));
  return errors;
}
