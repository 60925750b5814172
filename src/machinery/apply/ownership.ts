import type { Steps } from "#/std/base/steps.ts";
import type { JsonObject } from "../patch/values/json-value.ts";
import { type Comparison, type ConstantMember, compareObjects, compareSteps } from "./compare.ts";
import type { FieldFilter } from "./field-filter.ts";
import type { FieldSet } from "./field-set.ts";
import type { Manager, Managers } from "./managers.ts";
import { reconcileFields } from "./reconcile.ts";
import { inStep, type Versions } from "./versions.ts";

/** The fields that a write can set, by version. */
export type ResetFields = (apiVersion: string) => FieldFilter | undefined;

/** A write, to compute its effect on the managers. */
interface Change {
  readonly live: JsonObject;
  readonly next: JsonObject;
  /** A member of `next` that is known to be shared with other objects. */
  readonly constant?: ConstantMember | undefined;
  /** The version of both. */
  readonly apiVersion: string;
  readonly versions: Versions;
  readonly resetFields: ResetFields | undefined;
  /** The objects are large: they are compared in steps. */
  readonly isLarge: boolean;
}

/** The fields of other managers that a write changes, by manager. */
export type Conflicts = ReadonlyMap<string, FieldSet>;

/**
 * The effect of a write on the managers: the fields that they keep, and those that were taken from
 * them.
 */
interface Effect {
  readonly managers: Managers;
  readonly conflicts: Conflicts;
  readonly comparison: Comparison;
}

/**
 * Removes the fields that a write changes or removes from all managers but one. Managers that have
 * no fields left, or with a version that is no longer served, are dropped.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/merge/update.go.
 */
export function* takeFields(change: Change, managers: Managers, except?: string): Steps<Effect> {
  const comparisons = new Comparisons(change);
  const own = yield* comparisons.inVersion(change.apiVersion);
  if (!own) throw new Error(`no version ${change.apiVersion}`);
  const left = new Map<string, Manager>();
  const conflicts = new Map<string, FieldSet>();
  for (const [id, manager] of managers) {
    if (id === except) {
      if (!manager.set.isEmpty) left.set(id, manager);
      continue;
    }
    yield;
    const comparison = yield* comparisons.inVersion(manager.apiVersion);
    if (!comparison) continue;
    yield;
    const taken = manager.set.intersection(comparison.modified.union(comparison.added));
    yield;
    if (!taken.isEmpty) conflicts.set(id, taken);
    const set = manager.set.difference(taken).difference(comparison.removed);
    if (!set.isEmpty) left.set(id, set === manager.set ? manager : { ...manager, set });
  }
  return { managers: left, conflicts, comparison: own };
}

/** The comparison of the two objects in each requested version. */
class Comparisons {
  readonly #change: Change;
  readonly #known = new Map<string, Comparison | undefined>();

  constructor(change: Change) {
    this.#change = change;
  }

  *inVersion(apiVersion: string): Steps<Comparison | undefined> {
    if (!this.#known.has(apiVersion)) this.#known.set(apiVersion, yield* this.#compare(apiVersion));
    return this.#known.get(apiVersion);
  }

  *#compare(apiVersion: string): Steps<Comparison | undefined> {
    const { live, next, constant, versions, resetFields, isLarge } = this.#change;
    const before = inStep("failed to convert old object", () => versions.convert(live, apiVersion));
    const after = inStep("failed to convert new object", () => versions.convert(next, apiVersion));
    if (!before || !after) return undefined;
    const comparison = isLarge
      ? yield* compareSteps(before.type, before.object, after.object, constant)
      : compareObjects(before.type, before.object, after.object, constant);
    const filter = resetFields?.(apiVersion);
    if (!filter) return comparison;
    const { removed, modified, added } = comparison;
    return { removed: filter(removed), modified: filter(modified), added: filter(added) };
  }
}

/**
 * The managers of an object with their sets adapted to the current schemas; managers with a version
 * that is no longer served are dropped. The object must be convertible to the versions of all the
 * others.
 */
export function* reconcileManagers(
  managers: Managers,
  versions: Versions,
  live: JsonObject,
): Steps<Managers> {
  const reconciled = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    const typed = versions.convert(live, manager.apiVersion);
    if (!typed) continue;
    yield;
    const set = reconcileFields(manager.set, typed.type);
    reconciled.set(id, set === manager.set ? manager : { ...manager, set });
  }
  return reconciled;
}
