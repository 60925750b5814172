import type { Steps } from "#/std/base/steps.ts";
import { deepEqual } from "../objects/deep-equal.ts";
import { isJsonObject, type JsonObject } from "../patch/values/json-value.ts";
import { emptyFieldSet, type FieldNode, FieldSet, memberNode } from "./field-set.ts";
import { type FieldShape, FieldShapes } from "./field-shape.ts";
import { anyType, type FieldType } from "./field-type.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import {
  asList,
  asMap,
  hasEntries,
  isLargeMap,
  itemElement,
  levelsInSteps,
  membersPerStep,
  readKey,
} from "./typed-value.ts";
import {
  groupItems,
  memberTypeOrFail,
  sharedMembers,
  wholeMapSteps,
  wholeNode,
} from "./whole-node.ts";

/** The difference between two objects; no field is in more than one of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/**
 * Compares two objects of a type. Throws ItemError for lists with items that have no unique key,
 * and SchemaError for fields that the type does not have.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/typed/compare.go.
 */
export function compareObjects(
  type: FieldType,
  left: JsonObject,
  right: JsonObject,
  constant?: ConstantMember,
): Comparison {
  const change =
    constant && type.kind === "map"
      ? compareMaps(type, left, right, constant)
      : compare(type, left, right);
  return comparisonOf(change);
}

function comparisonOf(change: Change | undefined): Comparison {
  return {
    removed: change?.removed?.children ?? emptyFieldSet,
    modified: change?.modified?.children ?? emptyFieldSet,
    added: change?.added?.children ?? emptyFieldSet,
  };
}

/** The same in steps, for large objects. */
export function* compareSteps(
  type: FieldType,
  left: JsonObject,
  right: JsonObject,
  constant?: ConstantMember,
): Steps<Comparison> {
  return comparisonOf(yield* compareMapSteps(type, left, right, levelsInSteps, constant));
}

function* compareMapSteps(
  type: FieldType,
  left: JsonObject,
  right: JsonObject,
  levels: number,
  constant?: ConstantMember,
): Steps<Change | undefined> {
  if (type.kind !== "map" || type.atomic || levels === 0) return compare(type, left, right);
  const changes = new Changes();
  let count = 0;
  for (const key of keysOfBoth(left, right)) {
    const [before, after] = [readKey(left, key), readKey(right, key)];
    const member = type.fields.get(key) ?? type.other;
    const inSteps = constant || before === after ? undefined : member;
    const change =
      inSteps && isJsonObject(before) && isJsonObject(after)
        ? yield* compareMapSteps(inSteps, before, after, levels - 1)
        : inSteps && !type.written.has(key) && isOneSided(inSteps, before, after)
          ? yield* oneSidedSteps(inSteps, before, after)
          : compareMember(type, key, left, right, constant);
    if (change) changes.add(fieldElement(key), change);
    if (++count % membersPerStep === 0) yield;
  }
  yield;
  return count === 0 ? compareLeaves(left, right) : changes.done();
}

/** Whether one of two values is a large map of separate members, and the other is absent. */
function isOneSided(type: FieldType, before: unknown, after: unknown): boolean {
  if (type.kind !== "map" || type.atomic || (before !== undefined && after !== undefined))
    return false;
  const value = before ?? after;
  return isJsonObject(value) && isLargeMap(value);
}

function* oneSidedSteps(type: FieldType, before: unknown, after: unknown): Steps<Change> {
  return before === undefined
    ? { added: yield* wholeMapSteps(type, after as JsonObject) }
    : { removed: yield* wholeMapSteps(type, before as JsonObject) };
}

/** The keys of both objects, each once. */
function* keysOfBoth(left: JsonObject, right: JsonObject): Generator<string> {
  for (const key in left) if (left[key] !== undefined) yield key;
  for (const key in right) {
    if (right[key] !== undefined && readKey(left, key) === undefined) yield key;
  }
}

/** The difference between two values: one node for each set. */
interface Change {
  removed?: FieldNode | undefined;
  modified?: FieldNode | undefined;
  added?: FieldNode | undefined;
}

const modifiedChange: Change = { modified: memberNode };

function compare(type: FieldType, left: unknown, right: unknown): Change | undefined {
  if (left === right) return undefined;
  switch (type.kind) {
    case "map":
      return compareMaps(type, left, right);
    case "list":
      return compareLists(type, left, right);
    case "any":
      return compareAny(type, left, right);
    default:
      return compareLeaves(left, right);
  }
}

const compareLeaves = (left: unknown, right: unknown): Change | undefined =>
  deepEqual(left, right) ? undefined : modifiedChange;

/**
 * Values of type any: if a map becomes another type its entries are removed, and the entries of a
 * new map are added.
 */
function compareAny(type: FieldType, left: unknown, right: unknown): Change | undefined {
  const [before, after] = [asMap(left), asMap(right)];
  if (type.atomic || (!before && !after)) return compareLeaves(left, right);
  if (before && after) return compareMaps(type, before, after);
  const entries = compareMaps(type, before ?? null, after ?? null);
  return left === null || right === null ? entries : { ...entries, ...modifiedChange };
}

function compareMaps(
  type: FieldType,
  left: unknown,
  right: unknown,
  constant?: ConstantMember,
): Change | undefined {
  if (type.atomic) return compareLeaves(left, right);
  const [before, after] = [asMap(left), asMap(right)];
  let changes: Changes | undefined;
  let isEmpty = true;
  for (const key in before) {
    if (before[key] === undefined) continue;
    isEmpty = false;
    const change = compareMember(type, key, before, after, constant);
    if (change) changes = (changes ?? new Changes()).add(fieldElement(key), change);
  }
  for (const key in after) {
    if (after[key] === undefined || (before && readKey(before, key) !== undefined)) continue;
    isEmpty = false;
    const change = compareMember(type, key, before, after, constant);
    if (change) changes = (changes ?? new Changes()).add(fieldElement(key), change);
  }
  return isEmpty ? compareLeaves(left, right) : changes?.done();
}

/** A key's value, or the zero value that Go writes for it. */
function valueIn(type: FieldType, map: JsonObject | undefined, key: string): unknown {
  if (!map) return undefined;
  const value = readKey(map, key);
  const missing = value === undefined || value === null;
  return missing && type.written.has(key) ? type.written.get(key) : value;
}

function compareMember(
  type: FieldType,
  key: string,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  constant: ConstantMember | undefined,
): Change | undefined {
  const [left, right] = [valueIn(type, before, key), valueIn(type, after, key)];
  if (left === right) return undefined;
  const member = memberTypeOrFail(type, key);
  if (constant && right === constant.value) return constant.changeFrom(member, left);
  return compareSides(member, left, right);
}

/** Compares two values, one of which may be missing. */
function compareSides(type: FieldType, left: unknown, right: unknown): Change | undefined {
  if (left === undefined) return { added: wholeNode(type, right) };
  if (right === undefined) return { removed: wholeNode(type, left) };
  return compare(type, left, right);
}

/**
 * A value that never changes and is a member of many objects. Its difference from an absent or
 * empty value is always the same and is cached.
 */
export class ConstantMember {
  readonly value: JsonObject;
  #known: { type: FieldType; left: unknown; change: Change | undefined } | undefined;

  constructor(value: JsonObject) {
    this.value = value;
  }

  changeFrom(type: FieldType, left: unknown): Change | undefined {
    const known = this.#known;
    if (known?.type === type && known.left === left) return known.change;
    const change = compareSides(type, left, this.value);
    if (!hasEntries(asMap(left))) this.#known = { type, left, change };
    return change;
  }
}

function compareLists(type: FieldType, left: unknown, right: unknown): Change | undefined {
  const [before, after] = [asList(left), asList(right)];
  if (type.atomic || !(before?.length || after?.length)) return compareLeaves(left, right);
  const item = type.item ?? anyType;
  if (before && after && isAligned(type, before, after)) return compareAligned(type, before, after);
  const [olds, news] = [groupItems(type, before), groupItems(type, after)];
  let changes: Changes | undefined;
  for (const [element, items] of olds) {
    const change = compareItems(item, items, news.get(element) ?? []);
    if (change) changes = (changes ?? new Changes()).add(element, change);
  }
  for (const [element, items] of news) {
    const change = olds.has(element) ? undefined : compareItems(item, [], items);
    if (change) changes = (changes ?? new Changes()).add(element, change);
  }
  return changes?.done();
}

/** Limit of list length (items) up to which comparing all pairs is faster than an index. */
const shortList = 16;

/** Whether two short lists have the same unique items, by key, at the same indices. */
function isAligned(
  type: FieldType,
  before: readonly unknown[],
  after: readonly unknown[],
): boolean {
  if (before.length !== after.length || before.length > shortList) return false;
  for (let index = 0; index < before.length; index++) {
    if (!haveSameKeys(type, before[index], after[index])) return false;
    for (let other = 0; other < index; other++) {
      if (haveSameKeys(type, before[other], before[index])) return false;
    }
  }
  return true;
}

/** Whether two items of a map list or a set are equal; false where a key is not a plain value. */
function haveSameKeys({ keys, keyDefaults }: FieldType, left: unknown, right: unknown): boolean {
  if (keys.length === 0) return left === right && typeof left !== "object";
  const [before, after] = [asMap(left), asMap(right)];
  if (!before || !after) return false;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const value = readKey(before, key) ?? keyDefaults[index];
    if (typeof value === "object" || value === undefined) return false;
    if (value !== (readKey(after, key) ?? keyDefaults[index])) return false;
  }
  return true;
}

function compareAligned(
  type: FieldType,
  before: readonly unknown[],
  after: readonly unknown[],
): Change | undefined {
  let changes: Changes | undefined;
  for (let index = 0; index < before.length; index++) {
    const change = compare(type.item ?? anyType, before[index], after[index]);
    if (change) changes = (changes ?? new Changes()).add(itemElement(type, after[index]), change);
  }
  return changes?.done();
}

/** Duplicates are owned together, as one leaf. */
function compareItems(
  type: FieldType,
  olds: readonly unknown[],
  news: readonly unknown[],
): Change | undefined {
  if (olds.length <= 1 && news.length <= 1) {
    if (olds.length === 0) return { added: wholeNode(type, news[0]) };
    return news.length === 0
      ? { removed: wholeNode(type, olds[0]) }
      : compare(type, olds[0], news[0]);
  }
  if (olds.length > 1 && news.length > 1) return compareLeaves(olds, news);
  if (olds.length > 1) {
    const added = news.length === 0 ? undefined : wholeNode(type, news[0]);
    return { removed: memberNode, ...(added && { added }) };
  }
  const removed = olds.length === 0 ? undefined : wholeNode(type, olds[0]);
  return { added: memberNode, ...(removed && { removed }) };
}

const shapes = new FieldShapes();

/** Collects the changes of a container's members. */
class Changes {
  #removed: Members | undefined;
  #modified: Members | undefined;
  #added: Members | undefined;

  add(element: PathElement, { removed, modified, added }: Change): this {
    if (removed) this.#removed = (this.#removed ?? new Members()).add(element, removed);
    if (modified) this.#modified = (this.#modified ?? new Members()).add(element, modified);
    if (added) this.#added = (this.#added ?? new Members()).add(element, added);
    return this;
  }

  done(): Change {
    return {
      removed: this.#removed?.node(),
      modified: this.#modified?.node(),
      added: this.#added?.node(),
    };
  }
}

/** The members of a node; few of them have the node that others with the same members have. */
class Members {
  #shape: FieldShape = shapes.none;
  #count = 0;
  #many: Map<PathElement, FieldNode> | undefined;

  add(element: PathElement, node: FieldNode): this {
    if (this.#many) this.#many.set(element, node);
    else if (this.#count++ < sharedMembers && !node.isLarge)
      this.#shape = this.#shape.with(element, node);
    else this.#many = this.#shape.members().set(element, node);
    return this;
  }

  node(): FieldNode {
    if (this.#many) return { member: false, children: new FieldSet(this.#many), isLarge: true };
    this.#shape.node ??= { member: false, children: new FieldSet(this.#shape.members()) };
    return this.#shape.node;
  }
}
