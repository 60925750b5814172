import { runSteps, type Steps } from "#/std/base/steps.ts";
import { memoByIdentities } from "#/std/memory/memo.ts";
import { deepEqual } from "../objects/deep-equal.ts";
import { type JsonObject, ownValue } from "../patch/values/json-value.ts";
import { capUpdates } from "./cap-updates.ts";
import type { ConstantMember } from "./compare.ts";
import { emptyFieldSet, type FieldSet } from "./field-set.ts";
import {
  decodeManagers,
  encodeManagers,
  type ManagerIdentity,
  type Managers,
  managerId,
  resetsManagers,
} from "./managers.ts";
import { metadataOf, metadataText, withManagedFields } from "./object-metadata.ts";
import { type ResetFields, reconcileManagers, takeFields } from "./ownership.ts";
import { strippedFields } from "./stripped-fields.ts";
import { type ManagedKind, Versions } from "./versions.ts";

/** A create, update or patch (other than apply) with a known result. */
interface UpdateRequest {
  readonly kind: ManagedKind;
  /** The object before the request, in the request's version; undefined on create. */
  readonly live: JsonObject | undefined;
  /** The object after the request, with defaults, before admission. */
  readonly next: JsonObject;
  /** A member of `next` that is known to be shared with other objects. */
  readonly constant?: ConstantMember | undefined;
  readonly manager: string;
  readonly subresource?: string;
  /** Which fields the resource's strategy resets. */
  readonly resetFields?: ResetFields;
  /** RFC 3339, in whole seconds. */
  readonly now: string;
  /** Called with an error that did not fail the write. */
  readonly report?: (error: unknown) => void;
  /** The objects are large, and the caller runs the steps with pauses. */
  readonly isLarge?: boolean | undefined;
}

/**
 * The object after a write, with new managedFields. Failures (unreadable managedFields, a failed
 * conversion) do not fail the write: then the live object's managedFields are kept.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/fieldmanager.go
 * (UpdateNoErrors).
 */
export function updateManagedFields(request: UpdateRequest): JsonObject {
  return runSteps(updateSteps(request));
}

/** The same in steps, for large objects. */
export function* updateSteps(request: UpdateRequest): Steps<JsonObject> {
  const { live, next } = request;
  try {
    const managers = yield* updateManagers(request);
    yield;
    return withManagedFields(next, encodeManagers(managers));
  } catch (error) {
    request.report?.(error);
    const entries = live && ownValue(metadataOf(live), "managedFields");
    return withManagedFields(next, Array.isArray(entries) ? entries : undefined);
  }
}

function* updateManagers(request: UpdateRequest): Steps<Managers> {
  const { kind, live, next, constant, manager, subresource = "", resetFields, now } = request;
  const managers = startingManagers(request);
  yield;
  // An existing object without managers is one that had them reset; it is tracked again after the
  // next apply.
  const exists = live !== undefined && metadataText(live, "uid") !== "";
  if (managers.size === 0 && exists) return managers;
  const identity = {
    name: manager,
    operation: "Update" as const,
    apiVersion: kind.apiVersion,
    subresource,
  };
  return capUpdates(
    yield* recordUpdate({
      kind,
      live: live ?? {},
      next,
      constant,
      managers,
      identity,
      resetFields,
      now,
      isLarge: request.isLarge,
    }),
  );
}

/** The managers before the write: those in the request, or else those of the live object. */
function startingManagers({ live, next, subresource }: UpdateRequest): Managers {
  const liveEntries = live && ownValue(metadataOf(live), "managedFields");
  if (!subresource) {
    const entries = ownValue(metadataOf(next), "managedFields");
    if (resetsManagers(entries)) return new Map();
    // Most clients send back the entries that they read, and the live object's were decoded before.
    if (deepEqual(entries, liveEntries)) return decodeOr(liveEntries, new Map());
    const stated = decodeOr(entries, new Map());
    if (stated.size > 0) return stated;
  }
  return decodeOr(liveEntries, new Map());
}

function decodeOr(entries: unknown, otherwise: Managers): Managers {
  try {
    return decodeManagers(entries);
  } catch (error) {
    if (error instanceof SyntaxError) return otherwise;
    throw error;
  }
}

/** An update with known managers. */
interface RecordedUpdate {
  readonly kind: ManagedKind;
  readonly live: JsonObject;
  readonly next: JsonObject;
  readonly constant?: ConstantMember | undefined;
  readonly managers: Managers;
  readonly identity: ManagerIdentity;
  readonly resetFields: ResetFields | undefined;
  readonly now: string;
  readonly isLarge?: boolean | undefined;
}

/** The managers after an update: the updater owns the fields that it changed. */
export function* recordUpdate(update: RecordedUpdate): Steps<Managers> {
  const { kind, constant, managers, resetFields, now } = update;
  const { apiVersion } = kind;
  const versions = new Versions(kind, { structured: true });
  const live = ofKind(update.live, kind);
  const next = ofKind(update.next, kind);
  const isLarge = update.isLarge ?? false;
  const change = { live, next, constant, apiVersion, versions, resetFields, isLarge };
  const name = update.identity.name === "" ? "unknown" : update.identity.name;
  const identity = { ...update.identity, name };
  const id = managerId(identity);
  const reconciled = yield* reconcileManagers(managers, versions, live);
  const effect = yield* takeFields(change, reconciled, id);
  yield;
  const { removed, modified, added } = effect.comparison;
  const set = ownable(modified, added);
  const previous = effect.managers.get(id);
  const kept = previous?.set.difference(removed) ?? emptyFieldSet;
  if (set.isEmpty && kept === previous?.set) return effect.managers;
  const after = new Map(effect.managers);
  const owned = kept.union(set);
  // Only a write that sets fields changes the time.
  const time = set.isEmpty ? previous?.time : now;
  if (owned.isEmpty) after.delete(id);
  else after.set(id, { ...identity, set: owned, time });
  return after;
}

/**
 * The fields of two sets of changes that can be owned. Cached by identity, as the same sets occur
 * often.
 */
const ownable = memoByIdentities((modified: FieldSet, added: FieldSet) =>
  modified.union(added).difference(strippedFields),
);

/** The object with its type set, without managedFields, which are never managed. */
export function ofKind(object: JsonObject, { apiVersion, kind }: ManagedKind): JsonObject {
  const plain = withManagedFields(object, undefined);
  const known = plain["apiVersion"] === apiVersion && plain["kind"] === kind;
  return known ? plain : { ...plain, apiVersion, kind };
}
