import type { LimitRangeItem } from "#/api/core/v1.ts";
import { type FieldError, invalid } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { parseQuantity, type Quantity, quantityOf } from "#/machinery/values/quantity.ts";
import { parseResourceList, type ResourceList } from "#/machinery/values/resource-list.ts";
import { isOvercommitAllowed } from "../rules/resource-names.ts";

/** The greatest value that fits an int64 in thousandths. */
const maxMilliValue = (2n ** 63n - 1n) / 1000n;

/**
 * Validation errors of the relations between the amounts of one limit.
 *
 * Upstream: pkg/apis/core/validation/validation.go (ValidateLimitRange).
 */
export function validateLimitAmounts(item: LimitRangeItem, path: FieldPath): FieldError[] {
  const ofPods = item.type === "Pod";
  const lists = {
    min: parseResourceList(item.min),
    max: parseResourceList(item.max),
    default: parseResourceList(ofPods ? undefined : item.default),
    defaultRequest: parseResourceList(ofPods ? undefined : item.defaultRequest),
    ratio: parseResourceList(item.maxLimitRequestRatio),
  };
  const names = new Set(Object.values(lists).flatMap((list: ResourceList) => [...list.keys()]));
  return [...names].flatMap((name) => [
    ...compareAmounts(name, lists, path),
    ...validateRatio(name, lists, path),
    ...validateOvercommit(name, lists, path),
  ]);
}

interface Lists {
  readonly min: ResourceList;
  readonly max: ResourceList;
  readonly default: ResourceList;
  readonly defaultRequest: ResourceList;
  readonly ratio: ResourceList;
}

function compareAmounts(name: string, lists: Lists, path: FieldPath): FieldError[] {
  const min = lists.min.get(name);
  const max = lists.max.get(name);
  const limit = lists.default.get(name);
  const request = lists.defaultRequest.get(name);
  const errors: FieldError[] = [];
  const check = (
    field: string,
    shown: Quantity | undefined,
    [low, lowName]: readonly [Quantity | undefined, string],
    [high, highName]: readonly [Quantity | undefined, string],
  ): void => {
    if (!low || !high || low.compare(high) <= 0) return;
    const detail = `${lowName} value ${low} is greater than ${highName} value ${high}`;
    errors.push(invalid(path.child(field).key(name), shown, detail));
  };
  check("min", min, [min, "min"], [max, "max"]);
  check("defaultRequest", request, [min, "min"], [request, "default request"]);
  check("defaultRequest", request, [request, "default request"], [max, "max"]);
  check("defaultRequest", request, [request, "default request"], [limit, "default limit"]);
  check("default", min, [min, "min"], [limit, "default"]);
  check("default", max, [limit, "default"], [max, "max"]);
  return errors;
}

const one = quantityOf(1);

function validateRatio(name: string, lists: Lists, path: FieldPath): FieldError[] {
  const ratio = lists.ratio.get(name);
  if (!ratio) return [];
  const at = path.child("maxLimitRequestRatio").key(name);
  const errors: FieldError[] = [];
  if (ratio.compare(one) < 0) errors.push(invalid(at, ratio, `ratio ${ratio} is less than 1`));
  const min = lists.min.get(name);
  const max = lists.max.get(name);
  if (!min || !max) return errors;
  const small = [ratio, min, max].every((quantity) => quantity.scaledValue(0) < maxMilliValue);
  const value = small ? ratio.milliValue() / 1000 : ratio.value();
  const limit = small ? max.milliValue() / min.milliValue() : max.value() / min.value();
  if (value > limit) {
    const detail = `ratio ${ratio} is greater than max/min = ${limit.toFixed(6)}`;
    errors.push(invalid(at, ratio, detail));
  }
  return errors;
}

function validateOvercommit(name: string, lists: Lists, path: FieldPath): FieldError[] {
  const limit = lists.default.get(name);
  const request = lists.defaultRequest.get(name);
  if (!limit || !request || isOvercommitAllowed(name) || limit.equals(request)) return [];
  const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
  return [invalid(path.child("defaultRequest").key(name), request, detail)];
}

/** Whether one amount is greater than another. */
export const isMore = (a: string, b: string): boolean =>
  parseQuantity(a).compare(parseQuantity(b)) > 0;
