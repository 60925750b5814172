/**
 * Upstream: staging/src/k8s.io/client-go/util/jsonpath/jsonpath.go, for the values that JSON has.
 */
import { goType, goValue } from "../patch/values/go-value.ts";
import { compareValues } from "./compare-values.ts";
import {
  type JsonPath,
  JsonPathError,
  type JsonPathNode,
  type TemplatePart,
} from "./jsonpath-node.ts";

/** Limit of results of a path (count): `..` after `..` multiplies them. */
const maxResults = 1_000_000;
/** Limit of evaluated parts (count): each range without an end doubles the work. */
const maxSteps = 1_000_000;
/** Limit of nested ranges (count). */
const maxRanges = 256;

interface EvaluateOptions {
  /**
   * A missing field gives no result instead of an error, the default of `kubectl get -o jsonpath`.
   */
  readonly allowMissing: boolean;
}

type Found = readonly unknown[];

/** The results of a path in a value, in order. Throws JsonPathError. */
export function findAll(path: JsonPath, value: unknown, options: EvaluateOptions): Found {
  return new Evaluation([], options).path(path, [value]);
}

/**
 * The results of each part of a template; parts inside a range once for each of its items. Throws
 * JsonPathError.
 */
export function executeTemplate(
  parts: readonly TemplatePart[],
  value: unknown,
  options: EvaluateOptions,
): readonly Found[] {
  return new Evaluation(parts, options).parts(0, value);
}

class Evaluation {
  readonly #parts: readonly TemplatePart[];
  readonly #options: EvaluateOptions;
  /** Number of open ranges, and of those started or ended by the last evaluated part. */
  readonly #ranges = { open: 0, begun: 0, ended: 0 };
  #lastEnd = -1;
  #steps = 0;

  constructor(parts: readonly TemplatePart[], options: EvaluateOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /**
   * Evaluates the parts from an index on, up to the end of the innermost range. A range without an
   * end continues to the end of the template.
   */
  parts(from: number, value: unknown): Found[] {
    const results: Found[] = [];
    const ranges = this.#ranges;
    for (let i = from; i < this.#parts.length; i++) {
      const part = this.#parts[i];
      if (!part) break;
      if (++this.#steps > maxSteps) throw new JsonPathError("jsonpath finds too much");
      const found = part.type === "text" ? [part.text] : this.path(part.path, [value]);
      if (ranges.ended > 0 && ranges.ended <= ranges.open) {
        ranges.ended--;
        this.#lastEnd = i;
        break;
      }
      if (ranges.begun === 0) {
        results.push(found);
        continue;
      }
      ranges.begun--;
      if (++ranges.open > maxRanges) throw new JsonPathError("ranges are nested too deeply");
      for (const item of found) for (const each of this.parts(i + 1, item)) results.push(each);
      // The body of an empty range is evaluated without a value, to find its end.
      if (found.length === 0) this.parts(i + 1, undefined);
      ranges.open--;
      if (this.#lastEnd > i) i = this.#lastEnd;
    }
    return results;
  }

  path(path: JsonPath, start: Found): Found {
    let found = start;
    for (const node of path) {
      found = this.#take(node, found);
      if (found.length > maxResults) throw new JsonPathError("jsonpath finds too much");
    }
    return found;
  }

  #take(node: JsonPathNode, input: Found): Found {
    switch (node.type) {
      case "text":
        return [node.text];
      case "number":
        return input.map(() => (node.isInteger ? node.value : new Float(node.value)));
      case "boolean":
        return input.map(() => node.value);
      case "identifier":
        return this.#identifier(node.name, input);
      case "field":
        return this.#field(node.name, input);
      case "array":
        return slices(node, input);
      case "filter":
        return this.#filter(node, input);
      case "wildcard":
        return input.flatMap(children);
      case "recursive":
        return descend(input);
      case "union":
        return node.alternatives.flatMap((alternative) => this.path(alternative, input));
    }
  }

  #identifier(name: string, input: Found): Found {
    if (name === "range") {
      this.#ranges.begun++;
      return input;
    }
    if (name !== "end") throw new JsonPathError(`unrecognized identifier ${name}`);
    if (this.#ranges.open === 0) throw new JsonPathError("not in range, nothing to end");
    this.#ranges.ended++;
    return [];
  }

  /** An error only if no value has the field. */
  #field(name: string, input: Found): Found {
    const found = input.flatMap((value) =>
      isRecord(value) && Object.hasOwn(value, name) ? [value[name]] : [],
    );
    if (found.length > 0 || input.length === 0 || this.#options.allowMissing) return found;
    throw new FieldNotFound(`${name} is not found`);
  }

  #filter(node: FilterNode, input: Found): Found {
    return input.flatMap((list) => {
      if (!Array.isArray(list)) {
        throw new JsonPathError(`${goValue(list)} is not array or slice and cannot be filtered`);
      }
      return list.filter((item) => this.#passes(node, item));
    });
  }

  #passes({ left, operator, right }: FilterNode, item: unknown): boolean {
    if (operator === "exists") return this.#exists(left, item);
    const lefts = this.path(left, [item]);
    if (lefts.length === 0) return false;
    if (lefts.length > 1) throw severalValues();
    const rights = this.path(right, [item]);
    if (rights.length === 0) return false;
    if (rights.length > 1) throw severalValues();
    return compareValues(operator, lefts[0], rights[0]);
  }

  /**
   * As upstream, a path that fails for another reason than a missing field counts as existing, for
   * example the index of a list.
   */
  #exists(path: JsonPath, item: unknown): boolean {
    try {
      return this.path(path, [item]).length > 0;
    } catch (error) {
      if (error instanceof JsonPathError) return !(error instanceof FieldNotFound);
      throw error;
    }
  }
}

class FieldNotFound extends JsonPathError {}

type FilterNode = Extract<JsonPathNode, { type: "filter" }>;
type ArrayNode = Extract<JsonPathNode, { type: "array" }>;

/** A number that was written with a point: it is comparable only with other such numbers. */
class Float extends Number {}

function severalValues(): JsonPathError {
  return new JsonPathError("can only compare one element at a time");
}

/**
 * Items of each list; an index out of range is an error, even if missing keys are allowed. A result
 * without items ends the search.
 */
function slices(node: ArrayNode, input: Found): Found {
  const found: unknown[] = [];
  for (const value of input) {
    if (value === null || value === undefined) continue;
    if (!Array.isArray(value)) throw new JsonPathError(`${goType(value)} is not array or slice`);
    const { length } = value;
    let { start = 0, end = length } = node;
    if (start < 0) start += length;
    if (end < 0 || (end === 0 && node.single)) end += length;
    if (start === end) return found;
    checkBounds(start, end, length);
    if (node.step !== undefined && node.step <= 0) throw new JsonPathError("step must be > 0");
    for (let i = start; i < end; i += node.step ?? 1) found.push(value[i]);
  }
  return found;
}

function checkBounds(start: number, end: number, length: number): void {
  const outside = (index: number): JsonPathError =>
    new JsonPathError(`array index out of bounds: index ${index}, length ${length}`);
  if (start >= length || start < 0) throw outside(start);
  if (end > length || end < 0) throw outside(end - 1);
  if (start > end) {
    throw new JsonPathError(`starting index ${start} is greater than ending index ${end}`);
  }
}

/** The fields, items, or bytes of a string. */
function children(value: unknown): Found {
  if (Array.isArray(value)) return value;
  if (typeof value === "string") return [...Buffer.from(value)];
  return isRecord(value) ? Object.values(value) : [];
}

/** Each non-empty value, before its content. */
function descend(input: Found): Found {
  const found: unknown[] = [];
  const pending = [...input].reverse();
  while (pending.length > 0) {
    const value = pending.pop();
    const inner = children(value);
    if (inner.length === 0) continue;
    found.push(value);
    if (found.length > maxResults) throw new JsonPathError("jsonpath finds too much");
    if (typeof value !== "string") for (const item of inner.toReversed()) pending.push(item);
  }
  return found;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
