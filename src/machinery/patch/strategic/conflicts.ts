import type { Schema } from "#/api/base/schema.ts";
import { deepEqual } from "../../objects/deep-equal.ts";
import { goValue } from "../values/go-value.ts";
import { isJsonObject, type JsonObject } from "../values/json-value.ts";
import { patchDirective, retainKeysDirective } from "./directives.ts";
import { distinct, elementKind, requireMergeKey } from "./elements.ts";
import { lookupListField, lookupMapField, type PatchField } from "./lookup.ts";

/**
 * Whether two patches set the same field to different values.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go.
 */
export function mapsConflict(left: JsonObject, right: JsonObject, schema: Schema): boolean {
  const directed = [left, right].map((map) => Object.hasOwn(map, patchDirective));
  if (directed[0] !== directed[1]) return true;
  if (directed[0] && left[patchDirective] !== right[patchDirective]) return true;
  return Object.entries(left).some(([key, value]) => {
    if (key === patchDirective || key === retainKeysDirective) return false;
    return Object.hasOwn(right, key) && fieldsConflict(key, value, right[key], schema);
  });
}

function fieldsConflict(key: string, left: unknown, right: unknown, schema: Schema): boolean {
  if (isJsonObject(left)) {
    const field = lookupMapField(schema, key);
    if (!isJsonObject(right)) return true;
    if (field.strategy !== "replace") return mapsConflict(left, right, field.schema);
    return Object.hasOwn(left, patchDirective) !== Object.hasOwn(right, patchDirective);
  }
  if (Array.isArray(left)) {
    const field = lookupListField(schema, key);
    return !Array.isArray(right) || listsConflict(left, right, field);
  }
  return !deepEqual(left, right);
}

function listsConflict(
  left: readonly unknown[],
  right: readonly unknown[],
  field: PatchField,
): boolean {
  const kind = elementKind(left, right);
  if (field.strategy === "merge") {
    if (kind !== "map") return false;
    const others = new Map(
      right.map((item) => [goValue(requireMergeKey(item, field.mergeKey)), item]),
    );
    return left.some((item) => {
      const other = others.get(goValue(requireMergeKey(item, field.mergeKey)));
      return other !== undefined && itemsConflict(item, other, field.schema);
    });
  }
  if (left.length !== right.length) return true;
  if (kind !== "map") return !deepEqual(distinct(left).sort(), distinct(right).sort());
  return left.some((item, index) => itemsConflict(item, right[index], field.schema));
}

const itemsConflict = (left: unknown, right: unknown, schema: Schema): boolean =>
  !isJsonObject(left) || !isJsonObject(right) || mapsConflict(left, right, schema);
