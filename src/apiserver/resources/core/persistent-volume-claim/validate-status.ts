import type { PersistentVolumeClaim, VolumeHealthStatus } from "#/api/core/v1.ts";
import {
  type FieldError,
  invalid,
  JsonValue,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { isQualifiedName } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { validateMetaUpdate } from "../../rules/object-meta-rules.ts";
import { validateAmount, validateBasicAmount } from "../../rules/quantity-rules.ts";
import { isNativeResource } from "../../rules/resource-names.ts";

const resizeStatuses = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

/**
 * Validation errors of a claim's status.
 *
 * Upstream: pkg/apis/core/validation/validation.go (ValidatePersistentVolumeClaimStatusUpdate).
 */
export function validateClaimStatus(
  { metadata, spec, status = {} }: Decoded<PersistentVolumeClaim>,
  old: Decoded<PersistentVolumeClaim>,
): FieldError[] {
  const errors = validateMetaUpdate(metadata, old.metadata);
  if (!metadata.resourceVersion) errors.push(required(fieldPath("resourceVersion")));
  if ((spec.accessModes?.length ?? 0) === 0) {
    errors.push(required(fieldPath("Spec", "accessModes")));
  }
  for (const [name, amount] of Object.entries(status.capacity ?? {})) {
    append(errors, validateBasicAmount(amount, fieldPath("status", "capacity").key(name)));
  }
  append(errors, validateHealth(status.healthStatus));
  append(errors, validateResize(status.allocatedResourceStatuses ?? {}));
  append(errors, validateAllocated(status.allocatedResources ?? {}));
  return errors;
}

const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

function validateHealth(health: VolumeHealthStatus | undefined): FieldError[] {
  const path = fieldPath("status", "healthStatus", "healthConditions");
  return (health?.healthConditions ?? []).flatMap(({ reason }, index) => {
    if (!reason || reasonPattern.test(reason)) return [];
    const detail =
      "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";
    return [invalid(path.index(index).child("reason"), reason, detail)];
  });
}

function validateResize(statuses: Readonly<Record<string, string>>): FieldError[] {
  const path = fieldPath("status", "allocatedResourceStatuses");
  return Object.entries(statuses).flatMap(([name, status]) => [
    ...validateKey(name, path),
    ...(resizeStatuses.includes(status)
      ? []
      : [notSupported(path, new JsonValue(name), [...resizeStatuses].sort())]),
  ]);
}

function validateAllocated(amounts: Readonly<Record<string, string>>): FieldError[] {
  const path = fieldPath("status", "allocatedResources");
  return Object.entries(amounts).flatMap(([name, amount]) => {
    const wrongKey = validateKey(name, path);
    if (wrongKey.length > 0) return wrongKey;
    const wrong = validateBasicAmount(amount, path.key(name));
    return wrong.length > 0 ? wrong : validateAmount("storage", amount, path.key(name));
  });
}

function validateKey(name: string, path: FieldPath): FieldError[] {
  const problems = isQualifiedName(name);
  if (problems.length > 0) return problems.map((problem) => invalid(path, name, problem));
  if (!isNativeResource(name) || name === "storage") return [];
  return [notSupported(path, name, ["storage"])];
}
