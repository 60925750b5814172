import { type FieldNode, FieldSet, fieldNode, memberNode } from "./field-set.ts";
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

/** How many nodes are remembered for each type. */
const rememberedNodes = 256;

const remembered = new WeakMap<FieldType, Map<string, FieldNode>>();

/**
 * The node of a value that is there on one side only: itself and everything in it. Values of the same shape, such as the
 * containers of a deployment's pods, have the very same node.
 */
export function wholeNode(type: FieldType, value: unknown): FieldNode {
  if (type.atomic || type.kind === "scalar") return memberNode;
  const shape = shapeOf(type, value);
  let nodes = remembered.get(type);
  if (!nodes) {
    nodes = new Map();
    remembered.set(type, nodes);
  }
  const known = nodes.get(shape);
  if (known) return known;
  const node = makeNode(type, value);
  const oldest = nodes.size < rememberedNodes ? undefined : nodes.keys().next().value;
  if (oldest !== undefined) nodes.delete(oldest);
  nodes.set(shape, node);
  return node;
}

/**
 * What of a value its node depends on: the keys, and which items lists have; not the values. Keys come with their lengths,
 * so that no two shapes read the same.
 */
function shapeOf(type: FieldType, value: unknown): string {
  if (type.atomic || type.kind === "scalar") return "";
  if (type.kind === "list") return listShape(type, asList(value));
  const map = asMap(value);
  if (!map) return "-";
  let shape = "{";
  for (const key in map) {
    if (map[key] === undefined) continue;
    shape += `${key.length}:${key}${shapeOf(memberTypeOrFail(type, key), map[key])}`;
  }
  return `${shape}}`;
}

function listShape(type: FieldType, list: readonly unknown[] = []): string {
  let shape = "[";
  for (const item of list) {
    const element = itemElement(type, item);
    shape += `${element.length}:${element}${shapeOf(type.item ?? anyType, item)}`;
  }
  return `${shape}]`;
}

function makeNode(type: FieldType, value: unknown): FieldNode {
  if (type.atomic || type.kind === "scalar") return memberNode;
  if (type.kind === "list") return makeListNode(type, asList(value));
  const map = asMap(value);
  if (!map) return memberNode;
  const nodes = new Map<PathElement, FieldNode>();
  for (const key in map) {
    if (map[key] !== undefined) {
      nodes.set(fieldElement(key), makeNode(memberTypeOrFail(type, key), map[key]));
    }
  }
  for (const [key, zero] of type.written) {
    if (readKey(map, key) === undefined) {
      nodes.set(fieldElement(key), makeNode(memberTypeOrFail(type, key), zero));
    }
  }
  return fieldNode(true, new FieldSet(nodes)) ?? memberNode;
}

function makeListNode(type: FieldType, list: readonly unknown[] | undefined): FieldNode {
  const nodes = new Map<PathElement, FieldNode>();
  for (const [element, items] of groupItems(type, list)) {
    nodes.set(element, items.length > 1 ? memberNode : makeNode(type.item ?? anyType, items[0]));
  }
  return fieldNode(true, new FieldSet(nodes)) ?? memberNode;
}

/** The items of a list by their path element; several under one are duplicates. */
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
