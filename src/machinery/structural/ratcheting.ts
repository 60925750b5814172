import { deepEqual } from "../objects/deep-equal.ts";
import { identityOf } from "./list-type.ts";
import { sortedJson } from "./sorted-json.ts";
import { isJsonObject, type StructuralSchema, schemaOfField } from "./structural-schema.ts";
import { type Check, uncorrelated } from "./validation-run.ts";

/**
 * A check that ignores problems of parts that an update does not change.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/validation/ratcheting.go,
 * staging/src/k8s.io/apiserver/pkg/cel/common/equality.go.
 */
export function ratcheted(check: Check, schema: StructuralSchema | undefined): Check {
  return (value, old, run) => {
    const before = run.violations.length;
    check(value, old, run);
    if (run.violations.length === before || old === uncorrelated) return;
    if (isUnchanged(value, old, schema)) run.dropFrom(before);
  };
}

/** The old value of a field, by name. */
export function correlateFields(
  old: unknown,
  schema: StructuralSchema | undefined,
): (name: string) => unknown {
  if (!isJsonObject(old)) return () => uncorrelated;
  return (name) => {
    const known = Object.hasOwn(old, name) && schemaOfField(schema, name) !== undefined;
    return known ? old[name] : uncorrelated;
  };
}

/** The old item with the same keys; only for lists of type map. */
export function correlateItems(
  old: unknown,
  schema: StructuralSchema | undefined,
): (item: unknown) => unknown {
  if (schema?.listType !== "map" || !Array.isArray(old)) return () => uncorrelated;
  const keys = schema.listMapKeys;
  const identify = (item: unknown): string | undefined => {
    const identity = identityOf(item, keys);
    return Object.keys(identity).length === keys.length ? sortedJson(identity) : undefined;
  };
  const byIdentity = new Map(old.map((item) => [identify(item), item]));
  byIdentity.delete(undefined);
  return (item) => {
    const identity = identify(item);
    const found = identity !== undefined && byIdentity.has(identity);
    return found ? byIdentity.get(identity) : uncorrelated;
  };
}

/**
 * Whether a value is unchanged: the order of items in lists of type map is ignored; fields without
 * a schema always count as changed.
 */
function isUnchanged(value: unknown, old: unknown, schema: StructuralSchema | undefined): boolean {
  if (Array.isArray(value) && Array.isArray(old)) {
    if (schema?.listType !== "map") return deepEqual(value, old);
    const findOld = correlateItems(old, schema);
    return (
      value.length === old.length &&
      value.every((item) => isCorrelated(item, findOld(item), schema.items))
    );
  }
  if (isJsonObject(value) && isJsonObject(old)) {
    const findOld = correlateFields(old, schema);
    const names = Object.keys(value);
    return (
      names.length === Object.keys(old).length &&
      names.every((name) => isCorrelated(value[name], findOld(name), schemaOfField(schema, name)))
    );
  }
  return value === old;
}

const isCorrelated = (
  value: unknown,
  old: unknown,
  schema: StructuralSchema | undefined,
): boolean => old !== uncorrelated && isUnchanged(value, old, schema);
