import type { JsonObject } from "../patch/values/json-value.ts";
import { emptyFieldSet, type FieldNode, FieldSet, fieldNode, memberNode } from "./field-set.ts";
import { anyType, type FieldType } from "./field-type.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { asList, asMap, hasEntries, itemElement, memberType } from "./typed-value.ts";

/**
 * The fields that an object has: its leaves, the items of its lists and the entries of its maps,
 * but not the structs and lists that only contain them.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/typed/tofieldset.go.
 */
export function fieldSetOf(type: FieldType, object: JsonObject): FieldSet {
  return fieldsIn(type, object)?.children ?? emptyFieldSet;
}

function fieldsIn(type: FieldType, value: unknown): FieldNode | undefined {
  if (type.kind === "scalar" || type.atomic) return memberNode;
  if (type.kind === "list") return fieldsOfList(type, asList(value));
  const map = asMap(value);
  if (!map) return type.kind === "any" && value !== null ? memberNode : undefined;
  const nodes = new Map<PathElement, FieldNode>();
  for (const key in map) {
    if (map[key] === undefined) continue;
    const node = fieldsOfMember(type, key, map[key]);
    if (node) nodes.set(fieldElement(key), node);
  }
  return fieldNode(false, new FieldSet(nodes));
}

/**
 * A member is itself in the set if it is not a declared field, or if it is empty and has no fields
 * below it.
 */
function fieldsOfMember(type: FieldType, key: string, value: unknown): FieldNode | undefined {
  const member = (type.kind === "any" ? type : memberType(type, key)) ?? anyType;
  const map = asMap(value);
  const itself = value === null || (map && !hasEntries(map)) || !type.fields.has(key);
  const node = fieldsIn(member, value);
  return itself ? (fieldNode(true, node?.children) ?? memberNode) : node;
}

function fieldsOfList(type: FieldType, list: readonly unknown[] = []): FieldNode | undefined {
  const nodes = new Map<PathElement, FieldNode>();
  const duplicates = new Set<PathElement>();
  for (const item of list) {
    const element = itemElement(type, item);
    if (nodes.has(element)) duplicates.add(element);
    const children = fieldsIn(type.item ?? anyType, item)?.children;
    nodes.set(element, fieldNode(true, children) ?? memberNode);
  }
  for (const element of duplicates) nodes.set(element, memberNode);
  return fieldNode(false, new FieldSet(nodes));
}
