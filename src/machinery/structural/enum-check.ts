import { notSupported } from "../meta/field-error.ts";
import { sortedJson, sortKeys } from "./sorted-json.ts";
import type { ValidationRun } from "./validation-run.ts";

/**
 * Checks that a value is one of the allowed ones. As upstream, null never is, and a fraction counts
 * as its integer part.
 *
 * Upstream: vendor/k8s.io/kube-openapi/pkg/validation/validate/validator.go.
 */
export function checkEnum(allowed: readonly unknown[], value: unknown, run: ValidationRun): void {
  if (value !== null && allowed.some((one) => isSame(value, one))) return;
  const names = allowed.map((one) => (typeof one === "string" ? one : sortedJson(one)));
  run.report(`should be one of ${sortedJson(allowed)}`, (path) =>
    notSupported(path, sortKeys(value), names),
  );
}

function isSame(value: unknown, allowed: unknown): boolean {
  if (typeof allowed === "object" && allowed !== null) {
    return typeof value === "object" && sortedJson(value) === sortedJson(allowed);
  }
  if (typeof value === "number" && typeof allowed === "number") {
    return (Number.isInteger(allowed) ? Math.trunc(value) : value) === allowed;
  }
  return value === allowed;
}
