import type { ObjectMeta } from "#/api/meta/v1-definitions.ts";
import { distinctErrors, type FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsPathSegment } from "#/machinery/meta/names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "#/machinery/meta/object-meta.ts";
import { badRequest, invalid, type StatusError } from "#/machinery/meta/status-error.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { inSteps, type Steps } from "#/std/base/steps.ts";
import { commonValue } from "./set-defaults.ts";
import { type CommonFindings, findingsOf } from "./sharing/common-hooks.ts";
import type { ApiObject, Declaration, RequestContext } from "./strategy.ts";

/**
 * The steps around every write of an object, whatever its kind. Pure except for the hooks.
 * Upstream: staging/src/k8s.io/apiserver/pkg/registry/rest/{create,update,meta}.go.
 */

const metadata = fieldPath("metadata");

/** Clears the fields that only the server may set. */
export function wipeSystemFields(meta: ObjectMeta): void {
  delete meta.uid;
  delete meta.creationTimestamp;
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  delete meta.selfLink;
}

/** Sets uid and creationTimestamp of a new object. */
export function fillSystemFields({ metadata: meta }: ApiObject, now: number, uid: string): void {
  meta.creationTimestamp = formatTime(now);
  meta.uid = uid;
}

/** The request's namespace must be the object's; sets it if the object has none. */
export function ensureNamespace(meta: ObjectMeta, expected: string): void {
  const actual = meta.namespace ?? "";
  if (actual === expected) return;
  if (expected === "") {
    delete meta.namespace; // Cluster-scoped: the client's value is ignored.
  } else if (actual === "") {
    meta.namespace = expected;
  } else {
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
}

/**
 * Checks an object before it is created; throws 422 with all errors. Known results for its common field are not
 * computed again.
 */
export function* checkNew(
  declaration: Declaration,
  object: ApiObject,
  context: RequestContext,
  known: CommonFindings | undefined,
): Steps<void> {
  const common = known ?? ownFindings(declaration, object);
  const found = declaration.validate?.(object, context, common?.errors(context)) ?? [];
  let errors = yield* inSteps(found);
  if (errors.length === 0) errors = validateMeta(declaration, object);
  if (errors.length > 0) throw refusal(declaration, object, errors);
  const warnings = declaration.warnings?.(object, undefined, context, common?.warnings()) ?? [];
  for (const text of warnings) context.warn(text);
  declaration.canonicalize?.(object);
}

function ownFindings({ common }: Declaration, object: ApiObject): CommonFindings | undefined {
  const value = common && commonValue(common.field, object);
  return value && findingsOf(common, value);
}

/** Prepares and checks an object before it replaces another. */
export function* beforeUpdate(
  declaration: Declaration,
  object: ApiObject,
  old: ApiObject,
  context: RequestContext,
): Steps<void> {
  const { metadata: oldMeta } = old;
  setOrDelete(object.metadata, "generation", oldMeta.generation);
  declaration.prepareForUpdate?.(object, old, context);
  // Read after the hooks: one may have replaced the metadata.
  const { metadata: meta } = object;
  if (!meta.uid) setOrDelete(meta, "uid", oldMeta.uid);
  if (oldMeta.creationTimestamp) meta.creationTimestamp = oldMeta.creationTimestamp;
  if (oldMeta.deletionTimestamp) meta.deletionTimestamp = oldMeta.deletionTimestamp;
  if (oldMeta.deletionGracePeriodSeconds !== undefined) {
    meta.deletionGracePeriodSeconds ??= oldMeta.deletionGracePeriodSeconds;
  }
  const errors = [
    ...validateMeta(declaration, object),
    ...validateObjectMetaUpdate(meta, oldMeta, metadata),
    ...(yield* inSteps(declaration.validateUpdate?.(object, old, context) ?? [])),
  ];
  if (errors.length > 0) throw refusal(declaration, object, errors);
  for (const text of declaration.warnings?.(object, old, context) ?? []) context.warn(text);
  declaration.canonicalize?.(object);
}

/** Checks whether the user may make this valid change; throws 422 if not. */
export async function permitUpdate(
  declaration: Declaration,
  object: ApiObject,
  old: ApiObject,
  context: RequestContext,
): Promise<void> {
  const errors = (await declaration.permitUpdate?.(object, old, context)) ?? [];
  if (errors.length > 0) throw refusal(declaration, object, errors);
}

/** An error found by several rules is reported once. */
function refusal(
  { handle }: Declaration,
  { metadata: { name = "" } }: ApiObject,
  errors: readonly FieldError[],
): StatusError {
  return invalid(handle, name, distinctErrors(errors));
}

function validateMeta(declaration: Declaration, object: ApiObject): readonly FieldError[] {
  const { namespaced } = declaration.handle;
  return validateObjectMeta(object.metadata, { namespaced, name: nameIsPathSegment }, metadata);
}

function setOrDelete<T extends object, K extends keyof T>(
  target: T,
  key: K,
  value: T[K] | undefined,
): void {
  if (value === undefined) delete target[key];
  else target[key] = value;
}

/** Whether an update removes the last finalizer of an object that is being deleted. */
export function completesDeletion(object: ApiObject, old: ApiObject): boolean {
  if ((object.metadata.finalizers?.length ?? 0) > 0) return false;
  return old.metadata.deletionTimestamp !== undefined && !old.metadata.deletionGracePeriodSeconds;
}
