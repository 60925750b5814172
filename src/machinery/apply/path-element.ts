import { goQuote } from "#/std/go/go-quote.ts";
import { compareText } from "#/std/text/compare-text.ts";
import { isJsonObject } from "../patch/values/json-value.ts";
import { goJson, goNumber } from "../values/go-format.ts";

/**
 * One step of a path into an object, in the canonical form of the keys of FieldsV1: `f:` and a
 * field name, `k:` and the keys of a map list's item as JSON, `v:` and an item of a set as JSON,
 * `i:` and an index. Equal steps are equal strings.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/fieldpath (element.go, serialize-pe.go),
 * vendor/sigs.k8s.io/structured-merge-diff/v6/value/value.go.
 */
export type PathElement = string;

/** Limit of cached names and keys (count): nearly all of them occur often. */
const rememberedElements = 8192;
/**
 * Limit of the length of a cached name (UTF-16 units): longer ones are rare, and would only fill
 * memory.
 */
const rememberedLength = 128;
/** Unknown names after which a full cache is cleared (count): those of one very large object leave it as it is. */
const forgottenAfter = 16 * rememberedElements;
let misses = 0;
const fieldElements = new Map<string, PathElement>();
const textKeys = new Map<string, Map<string, PathElement>>();

/** The step to a field of a struct or an entry of a map. */
export function fieldElement(name: string): PathElement {
  return fieldElements.get(name) ?? remember(fieldElements, name, `f:${name}`);
}

/** The step to an item of a map list with one key, which is a string. */
export function textKeyElement(name: string, value: string): PathElement {
  let elements = textKeys.get(name);
  if (!elements) {
    elements = new Map();
    textKeys.set(name, elements);
  }
  return elements.get(value) ?? remember(elements, value, keyElement([name], [value]));
}

function remember(
  elements: Map<string, PathElement>,
  key: string,
  element: PathElement,
): PathElement {
  if (key.length > rememberedLength) return element;
  if (elements.size >= rememberedElements) {
    if (++misses < forgottenAfter) return element;
    misses = 0;
    elements.clear();
  }
  elements.set(key, element);
  return element;
}

/** The step to an item of a set. */
export const valueElement = (value: unknown): PathElement => `v:${jsonText(value)}`;

/** The step to an item of a map list; the names must be in order. */
export function keyElement(names: readonly string[], values: readonly unknown[]): PathElement {
  let text = "k:{";
  for (let index = 0; index < names.length; index++) {
    const name = JSON.stringify(names[index]);
    text += `${index === 0 ? "" : ","}${name}:${jsonText(values[index])}`;
  }
  return `${text}}`;
}

const plainText = /^[ !#-%'-;=?-[\]-~]*$/;

function jsonText(value: unknown): string {
  return typeof value === "string" && plainText.test(value) ? `"${value}"` : goJson(value);
}

/** The field's name, if the step is one to a field. */
export const fieldName = (element: PathElement): string | undefined =>
  element.startsWith("f:") ? element.slice(2) : undefined;

/** Whether the step is one to an item of a map list. */
export const isKeyElement = (element: PathElement): boolean => element.startsWith("k:");

/**
 * Reads a key of FieldsV1; undefined for an unknown kind of step, which the caller ignores. Throws
 * SyntaxError.
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new SyntaxError("key must be 2 characters long:");
  if (text[1] !== ":") throw new SyntaxError(`missing colon: ${text}`);
  switch (text[0]) {
    case "f":
      return text;
    case "v":
      return valueElement(JSON.parse(text.slice(2)));
    case "k":
      return parseKeyElement(text);
    case "i":
      if (!/^i:[+-]?\d{1,15}$/.test(text)) throw new SyntaxError(`invalid index: ${text}`);
      return `i:${Number(text.slice(2))}`;
    default:
      return undefined;
  }
}

function parseKeyElement(text: string): PathElement {
  const keys: unknown = JSON.parse(text.slice(2));
  if (!isJsonObject(keys)) throw new SyntaxError(`keys must be an object: ${text}`);
  const names = Object.keys(keys).sort(compareText);
  return keyElement(
    names,
    names.map((name) => keys[name]),
  );
}

/** A step as messages show it: .name, [name="x",port=80], [="x"] or [0]. */
export function printElement(element: PathElement): string {
  const rest = element.slice(2);
  if (element.startsWith("f:")) return `.${rest}`;
  if (element.startsWith("i:")) return `[${rest}]`;
  const value: unknown = JSON.parse(rest);
  if (element.startsWith("v:") || !isJsonObject(value)) return `[=${printValue(value)}]`;
  const keys = Object.entries(value).map(([name, part]) => `${name}=${printValue(part)}`);
  return `[${keys.join(",")}]`;
}

function printValue(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(printValue).join(",")}]`;
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value)
    .map(([key, part]) => `${key}=${printValue(part)}`)
    .join("");
}

/**
 * Steps in the order of FieldsV1: fields, then keys, values and indices, each sorted by content.
 */
export function sortElements(elements: Iterable<PathElement>): PathElement[] {
  const fields: PathElement[] = [];
  const others: Parsed[] = [];
  for (const element of elements) {
    if (element.startsWith("f:")) fields.push(element);
    else others.push({ element, value: JSON.parse(element.slice(2)) });
  }
  if (fields.length > 1) fields.sort(compareText);
  if (others.length === 0) return fields;
  return [...fields, ...others.sort(compareParsed).map(({ element }) => element)];
}

interface Parsed {
  readonly element: PathElement;
  readonly value: unknown;
}

const elementKinds = "fkvi";

function compareParsed(a: Parsed, b: Parsed): number {
  const kinds = elementKinds.indexOf(a.element[0] ?? "") - elementKinds.indexOf(b.element[0] ?? "");
  if (kinds !== 0) return kinds;
  return isKeyElement(a.element) ? compareKeys(a.value, b.value) : compareValues(a.value, b.value);
}

function compareKeys(left: unknown, right: unknown): number {
  const [a, b] = [Object.entries(left ?? {}), Object.entries(right ?? {})];
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const [nameA = "", valueA] = a[index] ?? [];
    const [nameB = "", valueB] = b[index] ?? [];
    const order = compareText(nameA, nameB) || compareValues(valueA, valueB);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const valueKinds = ["number", "string", "boolean", "list", "map", "null"] as const;

function valueKind(value: unknown): number {
  if (value === null) return 5;
  if (Array.isArray(value)) return 3;
  if (typeof value === "object") return 4;
  return valueKinds.indexOf(typeof value as "number");
}

function compareValues(a: unknown, b: unknown): number {
  const kinds = valueKind(a) - valueKind(b);
  if (kinds !== 0) return kinds;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "boolean") return Number(a) - Number(b);
  return compareText(goJson(a), goJson(b));
}
