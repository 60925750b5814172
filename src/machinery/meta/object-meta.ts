import type { ManagedFieldsEntry, ObjectMeta } from "#/api/meta/v1.ts";
import { append } from "#/std/base/append.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  JsonValue,
  notSupported,
  required,
  tooLong,
} from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { validateLabels } from "./label-selector.ts";
import {
  isLongerThan,
  isQualifiedName,
  type NameRule,
  nameIsDNSLabel,
  negativeMessage,
} from "./names.ts";
import { validateOwnerReferences } from "./owner-references.ts";

/** Message for a change of an immutable field. */
export const immutableMessage = "field is immutable";

/** Limit of all annotations of an object, keys and values together (bytes). */
const maxAnnotationsBytes = 256 * 1024;
const maxFieldManagerBytes = 128;
const maxSubresourceBytes = 256;

/** The rules that depend on the kind. */
interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly name: NameRule;
}

/**
 * Validates the metadata of a new object, after its name was generated.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go.
 */
export function validateObjectMeta(
  meta: ObjectMeta,
  rules: ObjectMetaRules,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const { generateName = "", name = "" } = meta;
  if (generateName !== "") {
    for (const problem of rules.name(generateName, true)) {
      errors.push(invalid(path.child("generateName"), generateName, problem));
    }
  }
  if (name === "") errors.push(required(path.child("name"), "name or generateName is required"));
  else {
    for (const problem of rules.name(name, false)) {
      errors.push(invalid(path.child("name"), name, problem));
    }
  }
  append(errors, validateNamespace(meta.namespace ?? "", rules.namespaced, path));
  append(errors, validateGeneration(meta, path));
  append(errors, validateLabels(meta.labels, path.child("labels")));
  append(errors, validateAnnotations(meta.annotations, path.child("annotations")));
  append(errors, validateOwnerReferences(meta.ownerReferences, path.child("ownerReferences")));
  append(errors, validateFinalizers(meta.finalizers, path.child("finalizers")));
  append(errors, validateManagedFields(meta.managedFields, path.child("managedFields")));
  return errors;
}

/** Validates an update of an object's metadata. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    append(errors, validateNoNewFinalizers(meta.finalizers, old.finalizers, path));
  }
  if (!meta.resourceVersion) {
    errors.push(invalid(path.child("resourceVersion"), "", "must be specified for an update"));
  }
  append(errors, validateGeneration(meta, path));
  const { generation = 0 } = meta;
  if (generation < (old.generation ?? 0)) {
    errors.push(invalid(path.child("generation"), generation, "must not be decremented"));
  }
  append(errors, validateImmutableMeta(meta, old, path));
  append(errors, validateLabels(meta.labels, path.child("labels")));
  append(errors, validateAnnotations(meta.annotations, path.child("annotations")));
  append(errors, validateOwnerReferences(meta.ownerReferences, path.child("ownerReferences")));
  append(errors, validateManagedFields(meta.managedFields, path.child("managedFields")));
  return errors;
}

function validateImmutableMeta(meta: ObjectMeta, old: ObjectMeta, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const compare = (field: keyof ObjectMeta, absent: unknown): void => {
    const value = meta[field] ?? absent;
    if (value === (old[field] ?? absent)) return;
    errors.push(invalid(path.child(field), new JsonValue(value), immutableMessage));
  };
  compare("name", "");
  compare("namespace", "");
  compare("uid", "");
  compare("creationTimestamp", null);
  compare("deletionTimestamp", null);
  compare("deletionGracePeriodSeconds", null);
  return errors;
}

function validateNamespace(namespace: string, namespaced: boolean, path: FieldPath): FieldError[] {
  if (!namespaced) {
    if (namespace === "") return [];
    return [forbidden(path.child("namespace"), "not allowed on this type")];
  }
  if (namespace === "") return [required(path.child("namespace"))];
  const problems = nameIsDNSLabel(namespace, false);
  return problems.map((problem) => invalid(path.child("namespace"), namespace, problem));
}

function validateGeneration({ generation = 0 }: ObjectMeta, path: FieldPath): FieldError[] {
  return generation < 0 ? [invalid(path.child("generation"), generation, negativeMessage)] : [];
}

/** Validates annotations: keys in any case, and the total size. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const key in annotations) {
    for (const problem of isQualifiedName(key.toLowerCase())) {
      errors.push(invalid(path, key, problem));
    }
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? "");
  }
  if (bytes > maxAnnotationsBytes) errors.push(tooLong(path, maxAnnotationsBytes));
  return errors;
}

/** Validates finalizers. */
function validateFinalizers(
  finalizers: readonly string[] | undefined,
  path: FieldPath,
): FieldError[] {
  if (finalizers === undefined) return [];
  const errors = finalizers.flatMap((finalizer) =>
    isQualifiedName(finalizer).map((problem) => invalid(path, finalizer, problem)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const detail = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push(invalid(path, finalizers, detail));
  }
  return errors;
}

function validateNoNewFinalizers(
  finalizers: readonly string[] = [],
  old: readonly string[] = [],
  path: FieldPath,
): FieldError[] {
  const extra = [...new Set(finalizers).difference(new Set(old))].sort();
  if (extra.length === 0) return [];
  const list = extra.map(goQuote).join(", ");
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbidden(path.child("finalizers"), detail)];
}

/** Validates managed fields that a client sent. */
function validateManagedFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  path: FieldPath,
): FieldError[] {
  return (entries ?? []).flatMap((entry, index) => validateEntry(entry, path.index(index)));
}

function validateEntry(entry: ManagedFieldsEntry, path: FieldPath): FieldError[] {
  const { operation = "", fieldsType = "", manager = "", subresource = "" } = entry;
  const errors: FieldError[] = [];
  if (operation === "") errors.push(required(path.child("operation"), "must not be empty"));
  else if (operation !== "Apply" && operation !== "Update") {
    const allowed = ["Apply", "Update"];
    errors.push(notSupported(path.child("operation"), new JsonValue(operation), allowed));
  }
  if (fieldsType !== "" && fieldsType !== "FieldsV1") {
    errors.push(invalid(path.child("fieldsType"), fieldsType, "must be `FieldsV1`"));
  }
  append(errors, validateFieldManager(manager, path.child("manager")));
  if (isLongerThan(subresource, maxSubresourceBytes)) {
    errors.push(tooLong(path.child("subresource"), maxSubresourceBytes));
  }
  return errors;
}

/**
 * Validates the name of a field manager.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go.
 */
export function validateFieldManager(manager: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (isLongerThan(manager, maxFieldManagerBytes)) {
    errors.push(tooLong(path, maxFieldManagerBytes));
  }
  if (/^[ -~]*$/.test(manager)) return errors;
  let position = 0;
  for (const char of manager) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      const detail = `invalid character U+${code} (at position ${position})`;
      errors.push(invalid(path, manager, detail));
    }
    position += Buffer.byteLength(char);
  }
  return errors;
}
