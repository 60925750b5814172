import { type FieldError, invalid, JsonValue, notSupported } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isQualifiedName } from "#/machinery/meta/names.ts";

/** The strategy that Kubernetes provides. */
export const oldestEmulationVersion = "OldestEmulationVersion";

/** Validation errors of a lease's strategy. Upstream: pkg/apis/coordination/validation/validation.go. */
export function validateLeaseStrategy(strategy: string, path: FieldPath): FieldError[] {
  // Upstream names the field twice.
  const at = path.child("strategy");
  const shown = new JsonValue(strategy);
  if (strategy.includes("/")) {
    return isQualifiedName(strategy).map((problem) => invalid(at, shown, problem));
  }
  if (strategy === oldestEmulationVersion) return [];
  return [notSupported(at, shown, [oldestEmulationVersion])];
}
