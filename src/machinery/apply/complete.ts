import { isJsonObject, type JsonObject } from "../patch/values/json-value.ts";
import type { FieldType } from "./field-type.ts";
import { memberType, readKey } from "./typed-value.ts";

/**
 * The object with every field that Go writes even when it is not set (`status: {}`), as upstream
 * sees an object that went through a Go struct. Shares the unchanged parts with the input.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/value/structreflect.go.
 */
export function completeObject(type: FieldType, object: JsonObject): JsonObject {
  return complete(type, object) as JsonObject;
}

function complete(type: FieldType, value: unknown): unknown {
  if (type.kind === "list" && type.item && Array.isArray(value)) {
    return completeList(type.item, value);
  }
  return type.kind === "map" && isJsonObject(value) ? completeMap(type, value) : value;
}

function completeList(item: FieldType, list: readonly unknown[]): readonly unknown[] {
  if (item.kind === "scalar") return list;
  const completed = list.map((value) => complete(item, value));
  return completed.every((value, index) => value === list[index]) ? list : completed;
}

function completeMap(type: FieldType, map: JsonObject): JsonObject {
  const changed = new Map<string, unknown>();
  for (const [key, zero] of type.written) {
    if ((readKey(map, key) ?? null) === null) {
      const field = type.fields.get(key);
      changed.set(key, field ? complete(field, zero) : zero);
    }
  }
  for (const key of Object.keys(map)) {
    if (changed.has(key)) continue;
    const field = memberType(type, key);
    const completed = field ? complete(field, map[key]) : map[key];
    if (completed !== map[key]) changed.set(key, completed);
  }
  return changed.size === 0 ? map : { ...map, ...Object.fromEntries(changed) };
}
