import type { CustomResourceSubresourceScale } from "#/api/apiextensions/v1.ts";
import { type FieldError, formatFieldError, invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isQualifiedName, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { validateObjectMeta } from "#/machinery/meta/object-meta.ts";
import { validateEmbedded } from "#/machinery/structural/embedded-resource.ts";
import { validateListTypes } from "#/machinery/structural/list-type.ts";
import type { Steps } from "#/std/base/steps.ts";
import type { ApiObject } from "../registry/strategy.ts";
import type { CustomVersion } from "./custom-version.ts";
import { validateScaleSpec, validateScaleStatus } from "./scale-rules.ts";

/**
 * Validation of custom resources.
 *
 * Upstream:
 * staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/{strategy,status_strategy,validator}.go.
 */

const metadataPath = fieldPath("metadata");
const statusPath = fieldPath("status");

/** All errors of a new object. */
export function* validateCustom(version: CustomVersion, object: ApiObject): Steps<FieldError[]> {
  const { namespaced } = version.handle;
  const rules = { namespaced, name: nameIsDNSSubdomain };
  const found = validateObjectMeta(object.metadata, rules, metadataPath);
  return yield* validateBody(version, object, found);
}

/** All errors of an object without its metadata, whatever it replaces. */
export function* validateBody(
  version: CustomVersion,
  object: ApiObject,
  found: readonly FieldError[] = [],
): Steps<FieldError[]> {
  const errors = [
    ...found,
    ...version.validator.validate(object),
    ...validateScale(version.spec.subresources?.scale, object),
    ...validateEmbedded(object, version.structural, { isRoot: false }),
    ...validateListTypes(object, version.structural),
  ];
  yield;
  return [...errors, ...(yield* runRules(version, object, undefined, errors, () => undefined))];
}

/** All errors of an object that replaces another, except in unchanged parts. */
export function* validateCustomUpdate(
  version: CustomVersion,
  object: ApiObject,
  old: ApiObject,
  warn: (text: string) => void,
): Steps<FieldError[]> {
  const errors = [
    ...version.validator.validateUpdate(object, old),
    ...validateScale(version.spec.subresources?.scale, object),
    ...validateEmbedded(object, version.structural, { isRoot: false }),
    ...newListProblems(version, object, old),
  ];
  yield;
  return [...errors, ...(yield* runRules(version, object, old, errors, warn))];
}

/** The same for an update of the status only. */
export function* validateCustomStatus(
  version: CustomVersion,
  object: ApiObject,
  old: ApiObject,
  warn: (text: string) => void,
): Steps<FieldError[]> {
  const { status } = object as { status?: unknown };
  const { status: oldStatus } = old as { status?: unknown };
  const { scale } = version.spec.subresources ?? {};
  const errors = [
    ...(status === undefined
      ? []
      : (version.statusValidator?.validateUpdate(status, oldStatus, statusPath) ?? [])),
    ...(scale ? validateScaleStatus(scale, object) : []),
    ...newListProblems(version, object, old),
  ];
  yield;
  return [...errors, ...(yield* runRules(version, object, old, errors, warn))];
}

function validateScale(
  scale: CustomResourceSubresourceScale | undefined,
  object: ApiObject,
): FieldError[] {
  if (!scale) return [];
  return [...validateScaleSpec(scale, object), ...validateScaleStatus(scale, object)];
}

/** Lists that violated the rules of sets or maps before may still do so. */
function newListProblems(
  { structural }: CustomVersion,
  object: ApiObject,
  old: ApiObject,
): FieldError[] {
  const errors = validateListTypes(object, structural);
  return errors.length > 0 && validateListTypes(old, structural).length > 0 ? [] : errors;
}

/** Errors after which CEL rules can't be evaluated. */
const blocking: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

function* runRules(
  { rules }: CustomVersion,
  object: ApiObject,
  old: ApiObject | undefined,
  found: readonly FieldError[],
  warn: (text: string) => void,
): Steps<FieldError[]> {
  if (!rules) return [];
  if (found.some(({ type }) => blocking.has(type))) {
    const detail =
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return [invalid(undefined, null, detail)];
  }
  const { errors, warnings } = yield* rules.steps(object, old ? { old, ratchet: true } : {});
  for (const warning of warnings) warn(formatFieldError(warning));
  return [...errors];
}

const standardFinalizers: ReadonlySet<string> = new Set([
  "orphan",
  "foregroundDeletion",
  "kubernetes",
]);

/** Warnings for new finalizers of an object. */
export function finalizerWarnings(
  { metadata }: ApiObject,
  old: ApiObject | undefined,
): readonly string[] {
  const before = old?.metadata.finalizers ?? [];
  const known = new Set(before);
  const added = new Set(metadata.finalizers?.filter((name) => !known.has(name)));
  return [...added].sort().flatMap(finalizerProblems);
}

function finalizerProblems(name: string): string[] {
  const warning = (problem: string) => `metadata.finalizers: ${JSON.stringify(name)}: ${problem}`;
  const problems = isQualifiedName(name).map(warning);
  if (name.includes("/") || standardFinalizers.has(name)) return problems;
  const path = name.includes(".") ? " including a path (/)" : "";
  const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
  return [...problems, warning(advice)];
}
