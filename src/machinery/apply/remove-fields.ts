import { isJsonObject, type JsonObject } from "../patch/values/json-value.ts";
import { emptyFieldSet, type FieldSet } from "./field-set.ts";
import { anyType, type FieldType } from "./field-type.ts";
import { fieldElement } from "./path-element.ts";
import { itemElement, memberType } from "./typed-value.ts";

/**
 * The object without the fields of a set. A map or list that loses all entries becomes null.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/typed/remove.go.
 */
export function removeFields(type: FieldType, object: JsonObject, set: FieldSet): JsonObject {
  const left = remove(type, object, set);
  return isJsonObject(left) ? left : {};
}

function remove(type: FieldType, value: unknown, set: FieldSet): unknown {
  if (Array.isArray(value) && (type.kind === "list" || type.kind === "any")) {
    return type.kind === "any" || type.atomic ? null : removeItems(type, value, set);
  }
  if (isJsonObject(value) && (type.kind === "map" || type.kind === "any")) {
    return type.atomic ? null : removeEntries(type, value, set);
  }
  return type.kind === "scalar" || type.kind === "any" ? value : null;
}

function removeItems(type: FieldType, list: readonly unknown[], set: FieldSet): unknown {
  const left: unknown[] = [];
  for (const item of list) {
    const node = set.nodes.get(itemElement(type, item));
    if (node?.member) continue;
    left.push(node?.children ? remove(type.item ?? anyType, item, node.children) : item);
  }
  return left.length === 0 ? null : left;
}

function removeEntries(type: FieldType, map: JsonObject, set: FieldSet): unknown {
  const left: [string, unknown][] = [];
  for (const [key, value] of Object.entries(map)) {
    const node = set.nodes.get(fieldElement(key));
    if (node?.member) continue;
    const member = (type.kind === "any" ? type : memberType(type, key)) ?? anyType;
    const children = node?.children ?? emptyFieldSet;
    left.push([key, children.isEmpty ? value : remove(member, value, children)]);
  }
  return left.length === 0 ? null : Object.fromEntries(left);
}
