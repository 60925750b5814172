import type { Steps } from "#/std/base/steps.ts";
import type { JsonObject } from "../patch/values/json-value.ts";
import { emptyFieldSet, type FieldSet } from "./field-set.ts";
import { fieldSetOf } from "./field-set-of.ts";
import type { Manager, Managers } from "./managers.ts";
import { withNamedFields } from "./named-fields.ts";
import { removeFields } from "./remove-fields.ts";
import { inStep, inSteps, type TypedObject, type Versions } from "./versions.ts";

/** A merged object from which the applier's old fields are removed. */
interface Pruning {
  readonly merged: JsonObject;
  /** The version of the input and of the result. */
  readonly apiVersion: string;
  /** All managers, including the applier with its current fields. */
  readonly managers: Managers;
  /** The applier's fields of the previous apply. */
  readonly last: Manager | undefined;
  readonly versions: Versions;
}

/**
 * Removes fields that the applier applied last time, does not apply now, and no other manager owns.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/merge/update.go (prune).
 */
export function* pruneObject(pruning: Pruning): Steps<JsonObject> {
  const { merged, apiVersion, managers, last, versions } = pruning;
  if (!last || last.set.isEmpty) return merged;
  const start = inStep("failed to convert merged object to last applied version", () =>
    versions.convert(merged, last.apiVersion),
  );
  if (!start) return merged;
  const { object, type } = start;
  const lastSet = withNamedFields(last.set, type);
  const bare = removeFields(type, object, lastSet);
  yield;
  const kept = yield* inSteps(
    "failed add back owned items",
    addBackManaged({ merged: object, pruned: bare }, last.apiVersion, managers, versions),
  );
  yield;
  const keptThere = inStep(
    "failed add back dangling items: failed to convert pruned object to last applied version",
    () => versions.convert(kept, last.apiVersion),
  );
  const pruned = yield* addBackDangling(start, kept, lastSet, keptThere);
  return versions.convert(pruned, apiVersion)?.object ?? pruned;
}

interface Pair {
  readonly merged: JsonObject;
  readonly pruned: JsonObject;
}

/**
 * Restores fields that any manager owns, version by version, starting with the object's own
 * version.
 */
function* addBackManaged(
  start: Pair,
  first: string,
  managers: Managers,
  versions: Versions,
): Steps<JsonObject> {
  const sets = new Map<string, FieldSet>([[first, emptyFieldSet]]);
  for (const { apiVersion, set } of managers.values()) {
    sets.set(apiVersion, (sets.get(apiVersion) ?? emptyFieldSet).union(set));
    yield;
  }
  let pair = start;
  for (const [apiVersion, managed] of sets) {
    const convert = (name: "merged" | "pruned") =>
      inStep(`failed to convert ${name} object at version ${apiVersion}`, () =>
        versions.convert(pair[name], apiVersion),
      );
    const merged = convert("merged");
    const pruned = convert("pruned");
    if (merged && pruned) pair = yield* addBackInVersion(merged, pruned, managed);
  }
  return pair.pruned;
}

function* addBackInVersion(
  merged: TypedObject,
  pruned: TypedObject,
  managed: FieldSet,
): Steps<Pair> {
  const { type, object } = merged;
  const all = withNamedFields(fieldSetOf(type, object), type);
  yield;
  const left = withNamedFields(fieldSetOf(type, pruned.object), type);
  yield;
  const gone = all.difference(left.union(withNamedFields(managed, type)));
  yield;
  return { merged: object, pruned: removeFields(type, object, gone) };
}

/** Restores fields that the applier did not own before, such as fields without a manager. */
function* addBackDangling(
  { object, type }: TypedObject,
  kept: JsonObject,
  lastSet: FieldSet,
  pruned: TypedObject | undefined,
): Steps<JsonObject> {
  if (!pruned) return kept;
  const left = withNamedFields(fieldSetOf(type, pruned.object), type);
  yield;
  const all = withNamedFields(fieldSetOf(type, object), type);
  yield;
  return removeFields(type, object, all.difference(left).intersection(lastSet));
}
