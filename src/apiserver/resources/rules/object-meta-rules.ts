import type { ObjectMeta } from "#/api/meta/v1.ts";
import { type FieldError, invalid } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import type { NameRule } from "#/machinery/meta/names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "#/machinery/meta/object-meta.ts";
import { append } from "#/std/base/append.ts";

/**
 * Metadata rules of most built-in kinds: the general rules, and finalizers that are either standard ones or
 * qualified by a domain.
 *
 * Upstream: pkg/apis/core/validation/validation.go.
 */

const metadata = fieldPath("metadata");
const standardFinalizers: ReadonlySet<string> = new Set([
  "kubernetes",
  "orphan",
  "foregroundDeletion",
]);

/** Validation errors of the metadata of a namespaced object. */
export function validateNamespacedMeta(meta: ObjectMeta, name: NameRule): FieldError[] {
  const errors = validateObjectMeta(meta, { namespaced: true, name }, metadata);
  validateFinalizerNames(meta, errors);
  return errors;
}

/** Validation errors of the metadata of a cluster-scoped object. */
export function validateClusterMeta(meta: ObjectMeta, name: NameRule): FieldError[] {
  const errors = validateObjectMeta(meta, { namespaced: false, name }, metadata);
  validateFinalizerNames(meta, errors);
  return errors;
}

/** Validation errors of an update of an object's metadata. */
export function validateMetaUpdate(meta: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors = validateObjectMetaUpdate(meta, old, metadata);
  validateFinalizerNames(meta, errors);
  return errors;
}

function validateFinalizerNames({ finalizers }: ObjectMeta, errors: FieldError[]): void {
  finalizers?.forEach((name, index) => {
    const path = metadata.child("finalizers").index(index);
    append(errors, validateFinalizerName(name, path));
  });
}

/** Validation errors of the name of a well-formed finalizer. */
export function validateFinalizerName(name: string, path: FieldPath): FieldError[] {
  if (name.includes("/") || standardFinalizers.has(name)) return [];
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return [invalid(path, name, detail)];
}
