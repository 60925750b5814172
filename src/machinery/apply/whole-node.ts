import type { Steps } from "#/std/base/steps.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import type { JsonObject } from "../patch/values/json-value.ts";
import { type FieldNode, FieldSet, fieldNode, memberNode } from "./field-set.ts";
import { type FieldShape, FieldShapes } from "./field-shape.ts";
import { anyType, type FieldType } from "./field-type.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { asList, asMap, itemElement, membersPerStep, memberType, readKey } from "./typed-value.ts";

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

/**
 * Limit of the members of a value whose node is shared (count): larger ones are rarely the same, and fill the memory.
 * Nor is the node of a value shared that contains such a one.
 */
export const sharedMembers = 1_000;

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

/** The same for a map of more than `sharedMembers` members, in steps. */
export function* wholeMapSteps(type: FieldType, map: JsonObject): Steps<FieldNode> {
  const nodes = new Map<PathElement, FieldNode>();
  for (const key in map) {
    if (map[key] === undefined) continue;
    nodes.set(fieldElement(key), wholeNode(memberTypeOrFail(type, key), map[key]));
    if (nodes.size % membersPerStep === 0) yield;
  }
  return largeNode(withWritten(type, map, nodes));
}

function mapNode(type: FieldType, map: JsonObject): FieldNode {
  let shape = noMembers(type);
  let many: Map<PathElement, FieldNode> | undefined;
  let left = sharedMembers;
  for (const key in map) {
    if (map[key] === undefined) continue;
    const node = wholeNode(memberTypeOrFail(type, key), map[key]);
    if (many) many.set(fieldElement(key), node);
    else if (left-- > 0 && !node.isLarge) shape = shape.with(key, node);
    else many = membersOf(shape).set(fieldElement(key), node);
  }
  if (many) return largeNode(withWritten(type, map, many));
  shape.node ??= nodeOf(withWritten(type, map, membersOf(shape)));
  return shape.node;
}

/** Adds the fields that Go writes even if they are not set. */
function withWritten(
  type: FieldType,
  map: JsonObject,
  nodes: Map<PathElement, FieldNode>,
): Map<PathElement, FieldNode> {
  for (const [key, zero] of type.written) {
    if (readKey(map, key) !== undefined) continue;
    nodes.set(fieldElement(key), wholeNode(memberTypeOrFail(type, key), zero));
  }
  return nodes;
}

function membersOf(shape: FieldShape): Map<PathElement, FieldNode> {
  const nodes = new Map<PathElement, FieldNode>();
  for (const [key, node] of shape.steps()) nodes.set(fieldElement(key), node);
  return nodes;
}

function listNode(type: FieldType, list: readonly unknown[] = []): FieldNode {
  let shape = noMembers(type);
  let many: Map<PathElement, FieldNode> | undefined;
  let left = sharedMembers;
  for (const item of list) {
    const element = itemElement(type, item);
    const node = wholeNode(type.item ?? anyType, item);
    if (many) addItem(many, element, node);
    else if (left-- > 0 && !node.isLarge) shape = shape.with(element, node);
    else many = addItem(itemsOf(shape), element, node);
  }
  if (many) return largeNode(many);
  shape.node ??= nodeOf(itemsOf(shape));
  return shape.node;
}

function itemsOf(shape: FieldShape): Map<PathElement, FieldNode> {
  const nodes = new Map<PathElement, FieldNode>();
  for (const [element, node] of shape.steps()) addItem(nodes, element, node);
  return nodes;
}

/** Several items with one element are duplicates, which are owned together. */
function addItem(
  nodes: Map<PathElement, FieldNode>,
  element: PathElement,
  node: FieldNode,
): Map<PathElement, FieldNode> {
  return nodes.set(element, nodes.has(element) ? memberNode : node);
}

const nodeOf = (nodes: Map<PathElement, FieldNode>): FieldNode =>
  fieldNode(true, new FieldSet(nodes)) ?? memberNode;

const largeNode = (nodes: Map<PathElement, FieldNode>): FieldNode => ({
  member: true,
  children: new FieldSet(nodes),
  isLarge: true,
});

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
