import { memoByIdentity } from "#/std/memory/memo.ts";
import type { JsonObject } from "../patch/values/json-value.ts";
import { type FieldNode, FieldSet, fieldNode, memberNode } from "./field-set.ts";
import { type FieldShape, FieldShapes } from "./field-shape.ts";
import { anyType, type FieldType } from "./field-type.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { asList, asMap, itemElement, memberType, readKey } from "./typed-value.ts";

/** A field that the type does not have. */
class SchemaError extends Error {
  override readonly name = "SchemaError";
}

/** The type of a member; throws SchemaError. */
export function memberTypeOrFail(type: FieldType, key: string): FieldType {
  const member = type.kind === "any" ? type : memberType(type, key);
  if (member) return member;
  throw new SchemaError(`.${key}: field not declared in schema`);
}

/** Limit of the members of a value whose node is shared (count): larger ones are rarely the same, and fill the memory. */
const sharedMembers = 1_000;

const shapesOf = memoByIdentity((_type: FieldType) => new FieldShapes());

const noMembers = (type: FieldType): FieldShape => shapesOf(type).none;

/**
 * The node of a value that exists on one side only: itself and everything in it. Values of the same
 * shape, such as the containers of a Deployment's pods, have the same node instance: it depends on
 * the keys and on the items of lists, not on the values.
 */
export function wholeNode(type: FieldType, value: unknown): FieldNode {
  if (type.atomic || type.kind === "scalar") return memberNode;
  if (type.kind === "list") return listNode(type, asList(value));
  const map = asMap(value);
  return map ? mapNode(type, map) : memberNode;
}

function mapNode(type: FieldType, map: JsonObject): FieldNode {
  let shape = noMembers(type);
  let left = sharedMembers;
  for (const key in map) {
    if (map[key] === undefined) continue;
    if (left-- === 0) return makeMapNode(type, map);
    shape = shape.with(key, wholeNode(memberTypeOrFail(type, key), map[key]));
  }
  shape.node ??= makeMapNode(type, map);
  return shape.node;
}

function listNode(type: FieldType, list: readonly unknown[] = []): FieldNode {
  if (list.length > sharedMembers) return makeListNode(type, list);
  let shape = noMembers(type);
  for (const item of list) {
    shape = shape.with(itemElement(type, item), wholeNode(type.item ?? anyType, item));
  }
  shape.node ??= makeListNode(type, list);
  return shape.node;
}

function makeMapNode(type: FieldType, map: JsonObject): FieldNode {
  const nodes = new Map<PathElement, FieldNode>();
  for (const key in map) {
    if (map[key] !== undefined) {
      nodes.set(fieldElement(key), wholeNode(memberTypeOrFail(type, key), map[key]));
    }
  }
  for (const [key, zero] of type.written) {
    if (readKey(map, key) === undefined) {
      nodes.set(fieldElement(key), wholeNode(memberTypeOrFail(type, key), zero));
    }
  }
  return fieldNode(true, new FieldSet(nodes)) ?? memberNode;
}

function makeListNode(type: FieldType, list: readonly unknown[]): FieldNode {
  const nodes = new Map<PathElement, FieldNode>();
  for (const [element, items] of groupItems(type, list)) {
    nodes.set(element, items.length > 1 ? memberNode : wholeNode(type.item ?? anyType, items[0]));
  }
  return fieldNode(true, new FieldSet(nodes)) ?? memberNode;
}

/** The items of a list by path element; several items with one element are duplicates. */
export function groupItems(
  type: FieldType,
  list: readonly unknown[] = [],
): Map<PathElement, unknown[]> {
  const groups = new Map<PathElement, unknown[]>();
  for (const item of list) {
    const element = itemElement(type, item);
    const group = groups.get(element);
    if (group) group.push(item);
    else groups.set(element, [item]);
  }
  return groups;
}
