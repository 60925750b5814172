import type { Steps } from "#/std/base/steps.ts";
import { isJsonObject, type JsonObject } from "../patch/values/json-value.ts";
import { emptyFieldSet, type FieldNode, FieldSet, fieldNode, memberNode } from "./field-set.ts";
import { anyType, type FieldType } from "./field-type.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import {
  asList,
  asMap,
  hasEntries,
  itemElement,
  levelsInSteps,
  membersPerStep,
  memberType,
} from "./typed-value.ts";

/**
 * The fields that an object has: its leaves, the items of its lists and the entries of its maps,
 * but not the structs and lists that only contain them.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/typed/tofieldset.go.
 */
export function fieldSetOf(type: FieldType, object: JsonObject): FieldSet {
  return fieldsIn(type, object)?.children ?? emptyFieldSet;
}

/** The same in steps, for large objects. */
export function* fieldSetSteps(type: FieldType, object: JsonObject): Steps<FieldSet> {
  return (yield* fieldsInSteps(type, object, levelsInSteps))?.children ?? emptyFieldSet;
}

function* fieldsInSteps(
  type: FieldType,
  value: unknown,
  levels: number,
): Steps<FieldNode | undefined> {
  const map = type.kind === "map" && !type.atomic && levels > 0 ? asMap(value) : undefined;
  if (!map) return fieldsIn(type, value);
  const nodes = new Map<PathElement, FieldNode>();
  let count = 0;
  for (const key in map) {
    const part = map[key];
    if (part === undefined) continue;
    const below = isJsonObject(part)
      ? yield* fieldsInSteps(typeOfMember(type, key), part, levels - 1)
      : fieldsIn(typeOfMember(type, key), part);
    const node = nodeOfMember(type, key, part, below);
    if (node) nodes.set(fieldElement(key), node);
    if (++count % membersPerStep === 0) yield;
  }
  return fieldNode(false, new FieldSet(nodes));
}

function fieldsIn(type: FieldType, value: unknown): FieldNode | undefined {
  if (type.kind === "scalar" || type.atomic) return memberNode;
  if (type.kind === "list") return fieldsOfList(type, asList(value));
  const map = asMap(value);
  if (!map) return type.kind === "any" && value !== null ? memberNode : undefined;
  const nodes = new Map<PathElement, FieldNode>();
  for (const key in map) {
    if (map[key] === undefined) continue;
    const below = fieldsIn(typeOfMember(type, key), map[key]);
    const node = nodeOfMember(type, key, map[key], below);
    if (node) nodes.set(fieldElement(key), node);
  }
  return fieldNode(false, new FieldSet(nodes));
}

const typeOfMember = (type: FieldType, key: string): FieldType =>
  (type.kind === "any" ? type : memberType(type, key)) ?? anyType;

/**
 * A member is itself in the set if it is not a declared field, or if it is empty and has no fields
 * below it.
 */
function nodeOfMember(
  type: FieldType,
  key: string,
  value: unknown,
  below: FieldNode | undefined,
): FieldNode | undefined {
  const map = asMap(value);
  const itself = value === null || (map && !hasEntries(map)) || !type.fields.has(key);
  return itself ? (fieldNode(true, below?.children) ?? memberNode) : below;
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
