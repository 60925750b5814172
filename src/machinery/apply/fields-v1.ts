import { memoByIdentity } from "#/std/memory/memo.ts";
import { isJsonObject, type JsonObject } from "../patch/values/json-value.ts";
import { emptyFieldSet, type FieldNode, FieldSet, memberNode } from "./field-set.ts";
import { type PathElement, parseElement } from "./path-element.ts";

/**
 * Field sets in the form of managedFields: a tree of JSON objects, in which `{}` is a field in the
 * set, and `.` marks a field that is in the set in addition to fields below it.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/fieldpath/serialize.go.
 */

/**
 * Field sets by their JSON object. Not a memo, because encoding adds entries too. Both sides are
 * immutable, so entries stay valid.
 */
const decoded = new WeakMap<object, FieldSet>();

/** Limit of the text of a field set that is kept for sharing (characters): larger ones are rarely equal. */
const sharedLength = 12_288;
/** Limit of all these texts (characters): those of a thousand Pod templates. */
const sharedTotal = 4 << 20;

/**
 * One object for each text, oldest first. Not a memo, because the key is computed from the value.
 */
const shared = new Map<string, JsonObject>();
let sharedCharacters = 0;

/**
 * An equal object that was read before, if there is one: most objects of a kind have the same few
 * sets.
 */
export function shareFields(fields: JsonObject): JsonObject {
  const text = JSON.stringify(fields);
  if (text.length > sharedLength) return fields;
  const known = shared.get(text);
  if (known) return known;
  shared.set(text, fields);
  sharedCharacters += text.length;
  for (const oldest of shared.keys()) {
    if (sharedCharacters <= sharedTotal) break;
    shared.delete(oldest);
    sharedCharacters -= oldest.length;
  }
  return fields;
}

/** Reads a field set; throws SyntaxError. */
export function decodeFields(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return emptyFieldSet;
  if (!isJsonObject(fields)) throw new SyntaxError("fields must be an object");
  const known = decoded.get(fields);
  if (known) return known;
  const set = decodeNode(fields).children ?? emptyFieldSet;
  decoded.set(fields, set);
  return set;
}

function decodeNode(fields: unknown): FieldNode {
  if (fields === null) return memberNode;
  if (!isJsonObject(fields)) throw new SyntaxError("fields must be objects");
  const nodes = new Map<PathElement, FieldNode>();
  let member = false;
  for (const [key, below] of Object.entries(fields)) {
    if (key === ".") {
      member = true;
      continue;
    }
    const element = parseElement(key);
    if (element !== undefined) nodes.set(element, decodeNode(below));
  }
  return nodes.size === 0 ? memberNode : { member, children: new FieldSet(nodes) };
}

/** Writes a field set; the same set gives the same instance. */
export const encodeFields = memoByIdentity((set: FieldSet): JsonObject => {
  const fields = encodeNodes(set, {});
  decoded.set(fields, set);
  return fields;
});

/** The same for a set below an element that is itself a member. */
const encodeMember: (set: FieldSet) => JsonObject = memoByIdentity((set) =>
  encodeNodes(set, { ".": emptyFields }),
);

function encodeNodes(set: FieldSet, fields: Record<string, JsonObject>): JsonObject {
  for (const element of set.sortedElements()) {
    const { children, member } = set.nodes.get(element) ?? memberNode;
    if (!children) fields[element] = emptyFields;
    else fields[element] = member ? encodeMember(children) : encodeNodes(children, {});
  }
  return fields;
}

const emptyFields: JsonObject = Object.freeze({});
