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

/** A create, update or patch (other than apply) whose result is known. */
interface UpdateRequest {
  readonly kind: ManagedKind;
  /** The object before, in the version of the request; undefined if it is being created. */
  readonly live: JsonObject | undefined;
  /** The object after, with defaults, before admission. */
  readonly next: JsonObject;
  /** A member of `next` that other objects have as well, if it is known to be one. */
  readonly constant?: ConstantMember | undefined;
  readonly manager: string;
  readonly subresource?: string;
  /** Which fields the resource's strategy resets. */
  readonly resetFields?: ResetFields;
  /** The time in RFC 3339, of whole seconds. */
  readonly now: string;
  /** Told what went wrong, if something did. */
  readonly report?: (error: unknown) => void;
}

/**
 * The object after a write, with managedFields as they are then. What goes wrong in the process (managedFields that cannot be
 * read, a conversion that fails) does not fail the write: then those of the live object stay.
 *
 * Upstream: apimachinery/pkg/util/managedfields/internal/fieldmanager.go (UpdateNoErrors).
 */
export function updateManagedFields(request: UpdateRequest): JsonObject {
  const { live, next } = request;
  try {
    return withManagedFields(next, encodeManagers(updateManagers(request)));
  } catch (error) {
    request.report?.(error);
    const entries = live && ownValue(metadataOf(live), "managedFields");
    return withManagedFields(next, Array.isArray(entries) ? entries : undefined);
  }
}

function updateManagers(request: UpdateRequest): Managers {
  const { kind, live, next, constant, manager, subresource = "", resetFields, now } = request;
  const managers = startingManagers(request);
  // An object that nobody manages is one whose managers were reset; it is tracked again after the next apply.
  const exists = live !== undefined && metadataText(live, "uid") !== "";
  if (managers.size === 0 && exists) return managers;
  const identity = {
    name: manager,
    operation: "Update" as const,
    apiVersion: kind.apiVersion,
    subresource,
  };
  return capUpdates(
    recordUpdate({ kind, live: live ?? {}, next, constant, managers, identity, resetFields, now }),
  );
}

/** The managers to start from: those the request states, or else those of the live object. */
function startingManagers({ live, next, subresource }: UpdateRequest): Managers {
  const liveEntries = live && ownValue(metadataOf(live), "managedFields");
  if (!subresource) {
    const entries = ownValue(metadataOf(next), "managedFields");
    if (resetsManagers(entries)) return new Map();
    // Most clients send back what they read; what the live object has was decoded before.
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

/** An update whose managers are known. */
interface RecordedUpdate {
  readonly kind: ManagedKind;
  readonly live: JsonObject;
  readonly next: JsonObject;
  readonly constant?: ConstantMember | undefined;
  readonly managers: Managers;
  readonly identity: ManagerIdentity;
  readonly resetFields: ResetFields | undefined;
  readonly now: string;
}

/** The managers after an update: it owns what it changed. */
export function recordUpdate(update: RecordedUpdate): Managers {
  const { kind, constant, managers, resetFields, now } = update;
  const { apiVersion } = kind;
  const versions = new Versions(kind, { structured: true });
  const live = ofKind(update.live, kind);
  const next = ofKind(update.next, kind);
  const change = { live, next, constant, apiVersion, versions, resetFields };
  const name = update.identity.name === "" ? "unknown" : update.identity.name;
  const identity = { ...update.identity, name };
  const id = managerId(identity);
  const effect = takeFields(change, reconcileManagers(managers, versions, live), id);
  const { removed, modified, added } = effect.comparison;
  const set = ownable(modified, added);
  const previous = effect.managers.get(id);
  const kept = previous?.set.difference(removed) ?? emptyFieldSet;
  if (set.isEmpty && kept === previous?.set) return effect.managers;
  const after = new Map(effect.managers);
  const owned = kept.union(set);
  // Only a write that sets something moves the time.
  const time = set.isEmpty ? previous?.time : now;
  if (owned.isEmpty) after.delete(id);
  else after.set(id, { ...identity, set: owned, time });
  return after;
}

/** What of two sets of changes can be owned; the same sets, which come again and again, give the same one. */
const ownable = memoByIdentities((modified: FieldSet, added: FieldSet) =>
  modified.union(added).difference(strippedFields),
);

/** The object as one of the kind, without managedFields, which nobody manages. */
export function ofKind(object: JsonObject, { apiVersion, kind }: ManagedKind): JsonObject {
  const plain = withManagedFields(object, undefined);
  const known = plain["apiVersion"] === apiVersion && plain["kind"] === kind;
  return known ? plain : { ...plain, apiVersion, kind };
}
