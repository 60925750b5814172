import { type FieldError, invalid } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { negativeMessage } from "#/machinery/meta/names.ts";
import { parseQuantity, type Quantity } from "#/machinery/values/quantity.ts";
import { isIntegerResource, resourceNameProblems } from "./resource-names.ts";

/**
 * Amounts of resources in quotas, nodes and volumes.
 *
 * Upstream: pkg/apis/core/validation/validation.go.
 */

/** Amounts that are whole and not negative, found without parsing. */
const plainWhole = /^[0-9]+(?:Ki|Mi|Gi|Ti|k|M|G|T)?$/;

const standardQuota: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "persistentvolumeclaims",
  "configmaps",
  "services.nodeports",
  "services.loadbalancers",
]);

/** Whether a name without a domain is a standard quota resource. */
export const isStandardQuotaResource = (name: string): boolean =>
  standardQuota.has(name) ||
  name.startsWith("hugepages-") ||
  name.startsWith("requests.hugepages-");

/** An amount may not be negative, and must be whole if the resource has whole units. */
export function validateAmount(name: string, amount: string, path: FieldPath): FieldError[] {
  if (plainWhole.test(amount)) return [];
  const quantity = parseQuantity(amount);
  const errors: FieldError[] = [];
  if (quantity.sign < 0) errors.push(invalid(path, quantity.toString(), negativeMessage));
  if (isIntegerResource(name) && !isWhole(quantity)) {
    errors.push(invalid(path, quantity, "must be an integer"));
  }
  return errors;
}

/** Whether an amount has no fraction. */
export const isWhole = (quantity: Quantity): boolean => quantity.scaledValue(-3) % 1000n === 0n;

/** Validation errors of a resource name in a quota. */
export function validateQuotaResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = resourceNameProblems(name).map((problem) => invalid(path, name, problem));
  if (name.includes("/") || isStandardQuotaResource(name)) return errors;
  return [...errors, invalid(path, name, "must be a standard resource for quota")];
}

/** An amount that may not be negative in whole units. */
export function validateBasicAmount(amount: string, path: FieldPath): FieldError[] {
  const value = parseQuantity(amount).value();
  return value < 0 ? [invalid(path, value, "must be a valid resource quantity")] : [];
}

/** An amount that must be positive. */
export function validatePositiveAmount(amount: string, path: FieldPath): FieldError[] {
  const quantity = parseQuantity(amount);
  if (quantity.sign > 0) return [];
  return [invalid(path, quantity.toString(), "must be greater than zero")];
}
