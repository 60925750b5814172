import { plainNumbers } from "#/machinery/patch/plain-numbers.ts";
import { runSteps, type Steps } from "#/std/base/steps.ts";
import { deepEqual } from "../objects/deep-equal.ts";
import { exceedsDepth, type JsonObject, ownValue } from "../patch/values/json-value.ts";
import { capUpdates } from "./cap-updates.ts";
import { completeObject } from "./complete.ts";
import { type ApplyConflict, describeConflicts } from "./conflict.ts";
import type { FieldSet } from "./field-set.ts";
import { fieldSetSteps } from "./field-set-of.ts";
import { fieldTypeOf } from "./field-type.ts";
import { kubectlManager, lastAppliedFields, updateLastApplied } from "./last-applied.ts";
import {
  decodeManagers,
  encodeManagers,
  type ManagerIdentity,
  type Managers,
  managerId,
} from "./managers.ts";
import { mergeSteps } from "./merge.ts";
import { metadataOf, metadataText, withManagedFields } from "./object-metadata.ts";
import { type Conflicts, type ResetFields, reconcileManagers, takeFields } from "./ownership.ts";
import { pruneObject } from "./prune.ts";
import { strippedFields } from "./stripped-fields.ts";
import { ofKind, recordUpdate } from "./update-managed-fields.ts";
import { joinMessages, validateObject } from "./validate.ts";
import { inSteps, type ManagedKind, Versions } from "./versions.ts";

/** A request of server-side apply. */
interface ApplyRequest {
  readonly kind: ManagedKind;
  /**
   * The object before the request, in the request's version; undefined if it does not exist yet.
   */
  readonly live: JsonObject | undefined;
  /** The configuration that is applied. */
  readonly patch: JsonObject;
  readonly manager: string;
  /** Take fields over from other managers. */
  readonly force: boolean;
  readonly subresource?: string;
  /** Which fields the resource's strategy resets. */
  readonly resetFields?: ResetFields;
  /** RFC 3339, in whole seconds. */
  readonly now: string;
  /** The objects are large, and the caller runs the steps with pauses. */
  readonly isLarge?: boolean | undefined;
}

/**
 * Result of an apply: either the object with managedFields (new fields have no defaults yet; nulls
 * and empty structs may stand for absent), or the conflicts that stopped it.
 */
export type ApplyResult =
  | { readonly object: JsonObject; readonly isChanged: boolean; readonly conflict?: undefined }
  | { readonly conflict: ApplyConflict; readonly object?: undefined };

/**
 * A configuration that cannot be applied: 400 is a BadRequest; 500 is only the message, without a
 * reason.
 */
export class ApplyError extends Error {
  override readonly name = "ApplyError";
  readonly code: 400 | 500;

  constructor(code: ApplyError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Applies a configuration to an object; throws ApplyError, and ConversionError.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal (fieldmanager.go,
 * structuredmerge.go, skipnonapplied.go).
 */
export function applyPatch(request: ApplyRequest): ApplyResult {
  return runSteps(applySteps(request));
}

/** The same in steps, for large objects: the caller may do other work between them. */
export function* applySteps(request: ApplyRequest): Steps<ApplyResult> {
  const { kind, manager, force } = request;
  checkPatch(request.patch, kind);
  yield;
  const patch = plainNumbers(request.patch) as JsonObject;
  yield;
  const stored = readManagers(request.live);
  yield;
  const start = yield* startApply({ ...request, patch }, stored);
  let outcome = start.apply(force);
  if (outcome.conflicts && manager === kubectlManager) {
    outcome = retryAsKubectl(start, outcome.conflicts);
  }
  if (outcome.conflicts) return { conflict: describeConflicts(outcome.conflicts, start.managers) };
  const object =
    manager === kubectlManager ? updateLastApplied(outcome.object, patch) : outcome.object;
  yield;
  const managed = withManagedFields(object, encodeManagers(outcome.managers));
  return { object: managed, isChanged: outcome.isChanged };
}

function checkPatch(patch: JsonObject, { apiVersion, kind }: ManagedKind): void {
  if (patch["apiVersion"] !== apiVersion || patch["kind"] !== kind) {
    const given = { apiVersion: textOf(patch["apiVersion"]), kind: textOf(patch["kind"]) };
    throw new ApplyError(400, `invalid object type: ${describeKind(given)}`);
  }
  if (Array.isArray(ownValue(metadataOf(patch), "managedFields"))) {
    throw new ApplyError(400, "metadata.managedFields must be nil");
  }
  if (exceedsDepth(patch)) throw new ApplyError(400, "exceeded max depth");
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function readManagers(live: JsonObject | undefined): Managers {
  try {
    return decodeManagers(live && ownValue(metadataOf(live), "managedFields"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ApplyError(500, `failed to decode managed fields: ${error.message}`);
  }
}

type Outcome =
  | {
      readonly object: JsonObject;
      readonly isChanged: boolean;
      readonly managers: Managers;
      readonly conflicts?: undefined;
    }
  | { readonly conflicts: Conflicts; readonly object?: undefined };

/** An apply that can be tried with and without force. */
interface Application {
  readonly managers: Managers;
  apply(force: boolean): Outcome;
  /** The fields that client-side kubectl apply has set. */
  lastApplied(): FieldSet;
}

function* startApply(request: ApplyRequest, stored: Managers): Steps<Application> {
  const { kind, patch, manager, subresource = "", resetFields, now } = request;
  const { apiVersion } = kind;
  const versions = new Versions(kind, { structured: false });
  const type = fieldTypeOf(kind.schema, { structured: false });
  const plainLive = ofKind(request.live ?? {}, kind);
  const live = completeObject(fieldTypeOf(kind.schema, { structured: true }), plainLive);
  yield;
  const before = stored.size > 0 ? stored : yield* beforeFirstApply(request, plainLive);
  const managers = yield* reconcileManagers(before, versions, live);
  yield;
  const problems = validateObject(type, patch);
  if (problems.length > 0) {
    const message = `failed to create typed patch object (${describe(patch, kind)}): ${joinMessages(problems)}`;
    throw new ApplyError(500, message);
  }
  yield;
  const identity: ManagerIdentity = { name: manager, operation: "Apply", apiVersion, subresource };
  const id = managerId(identity);
  const filter = resetFields?.(apiVersion);
  const applied = yield* fieldSetSteps(type, patch);
  const set = filter ? filter(applied) : applied;
  const last = managers.get(id);
  const all = new Map(managers).set(id, { ...identity, set, time: last?.time });
  yield;
  const merged = yield* mergeSteps(type, live, patch);
  yield;
  const next = yield* inSteps(
    "failed to prune fields",
    pruneObject({ merged, apiVersion, managers: all, last, versions }),
  );
  yield;
  const effect = yield* takeFields(
    { live, next, apiVersion, versions, resetFields, isLarge: request.isLarge ?? false },
    all,
    id,
  );
  yield;
  const changed = !deepEqual(live, next);
  yield;
  const owned = set.difference(strippedFields);
  const after = new Map(effect.managers);
  if (owned.isEmpty) after.delete(id);
  else after.set(id, { ...identity, set: owned, time: changed ? now : last?.time });
  return {
    managers,
    apply: (force) =>
      !force && effect.conflicts.size > 0
        ? { conflicts: effect.conflicts }
        : { object: changed ? next : plainLive, isChanged: changed, managers: after },
    lastApplied: () => lastAppliedFields(type, live, apiVersion),
  };
}

/**
 * The manager before the first apply: it owns all fields of an existing object that has no managers
 * yet.
 */
function* beforeFirstApply(request: ApplyRequest, live: JsonObject): Steps<Managers> {
  const { kind, subresource = "", resetFields, now } = request;
  return capUpdates(
    yield* recordUpdate({
      kind,
      live: {},
      next: live,
      managers: new Map(),
      identity: {
        name: "before-first-apply",
        operation: "Update",
        apiVersion: kind.apiVersion,
        subresource,
      },
      resetFields,
      now,
    }),
  );
}

/** Ignores conflicts on fields that client-side kubectl apply has set before. */
function retryAsKubectl(application: Application, conflicts: Conflicts): Outcome {
  const allowed = application.lastApplied();
  const left = new Map<string, FieldSet>();
  for (const [id, set] of conflicts) {
    const rest = set.difference(allowed);
    if (!rest.isEmpty) left.set(id, rest);
  }
  return left.size > 0 ? { conflicts: left } : application.apply(true);
}

/** The error for a configuration whose result is not a valid object of the kind. */
export function unconvertible(patch: JsonObject, kind: ManagedKind, reason: string): string {
  const into = `unable to convert unstructured object to ${describeKind(kind)}`;
  return `failed to convert new object (${describe(patch, kind)}) to proper version: ${into}: ${reason}`;
}

/** An object in messages: namespace and name, and its type. */
function describe(object: JsonObject, kind: ManagedKind): string {
  const [namespace, name] = [metadataText(object, "namespace"), metadataText(object, "name")];
  return `${namespace}/${name}; ${describeKind(kind)}`;
}

function describeKind({ apiVersion, kind }: Pick<ManagedKind, "apiVersion" | "kind">): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
