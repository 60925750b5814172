import { table } from "#/std/base/table.ts";
import { innerSize, textCost } from "../cost/actual-size.ts";
import type { Library } from "../environment.ts";
import { type FunctionDecl, type Implementation, member, overload } from "../model/declaration.ts";
import { dynType, intType, listOf, stringType } from "../type/cel-type.ts";
import { CelFault, CostLimitExceeded, noSuchOverload } from "../value/cel-fault.ts";
import { ArrayList, CelList } from "../value/cel-list.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { goText } from "../value/go-text.ts";
import { codePointCount, isFlat } from "../value/text.ts";
import {
  joinCosts,
  replaceCosts,
  searchCosts,
  splitCosts,
  transformCosts,
} from "./costs/text-costs.ts";
import { formatString } from "./format/format-string.ts";
import { validateFormatCalls } from "./format/format-validator.ts";

const text = stringType;
const texts = listOf(stringType);

/** Limit of a created string (UTF-16 units); upstream is limited only by memory. */
const maxTextLength = 64 * 1024 * 1024;

const functions: readonly FunctionDecl[] = [
  { name: "charAt", overloads: [member("string_char_at_int", [text, intType], text, charAt)] },
  {
    name: "indexOf",
    overloads: [
      member("string_index_of_string", [text, text], intType, indexOf),
      member("string_index_of_string_int", [text, text, intType], intType, indexOf),
    ],
    ...searchCosts,
  },
  {
    name: "lastIndexOf",
    overloads: [
      member("string_last_index_of_string", [text, text], intType, lastIndexOf),
      member("string_last_index_of_string_int", [text, text, intType], intType, lastIndexOf),
    ],
    ...searchCosts,
  },
  transform("lowerAscii", "string_lower_ascii", (value) =>
    value.replace(/[A-Z]+/g, (upper) => upper.toLowerCase()),
  ),
  transform("upperAscii", "string_upper_ascii", (value) =>
    value.replace(/[a-z]+/g, (lower) => lower.toUpperCase()),
  ),
  transform("trim", "string_trim", (value) => value.replace(trimmed, "")),
  {
    name: "replace",
    overloads: [
      member("string_replace_string_string", [text, text, text], text, replace),
      member("string_replace_string_string_int", [text, text, text, intType], text, replace),
    ],
    ...replaceCosts,
  },
  {
    name: "split",
    overloads: [
      member("string_split_string", [text, text], texts, split),
      member("string_split_string_int", [text, text, intType], texts, split),
    ],
    ...splitCosts,
  },
  {
    name: "substring",
    overloads: [
      member("string_substring_int", [text, intType], text, substring),
      member("string_substring_int_int", [text, intType, intType], text, substring),
    ],
    ...transformCosts,
  },
  {
    name: "join",
    overloads: [
      member("list_join", [texts], text, join),
      member("list_join_string", [texts, text], text, join),
    ],
    ...joinCosts,
  },
  {
    name: "format",
    overloads: [
      {
        ...member("string_format", [text, listOf(dynType)], text, format),
        variadic: true,
        cost: ([value]) => textCost(innerSize(value)),
      },
    ],
  },
  {
    name: "strings.quote",
    overloads: [
      {
        ...overload("strings_quote", [text], text, (value) => quote(String(value))),
        cost: ([value]) => textCost(innerSize(value)),
      },
    ],
  },
];

/**
 * String functions, in version 2.
 *
 * Upstream: vendor/github.com/google/cel-go/ext/strings.go.
 */
export const strings: Library = { functions, validators: [validateFormatCalls] };

function transform(name: string, id: string, apply: (value: string) => string): FunctionDecl {
  const call = (value?: CelValue) => (typeof value === "string" ? apply(value) : noSuchOverload);
  return { name, overloads: [member(id, [text], text, call as Implementation)], ...transformCosts };
}

/** White space at both ends, as defined by Unicode and Go. */
const trimmed = /^[\p{White_Space}]+|[\p{White_Space}]+$/gu;

const outOfRange = (index: bigint): CelFault => new CelFault(`index out of range: ${index}`);

/** The code points of a string, one element each. */
const characters = (value: string): ArrayLike<string> =>
  isFlat(value) ? value : Array.from(value);

function charAt(value?: CelValue, index?: CelValue): CelResult {
  if (typeof value !== "string" || typeof index !== "bigint") return noSuchOverload;
  const all = characters(value);
  if (index < 0n || index > BigInt(all.length)) return outOfRange(index);
  return all[Number(index)] ?? "";
}

function indexOf(value?: CelValue, part?: CelValue, offset: CelValue = 0n): CelResult {
  if (typeof value !== "string" || typeof part !== "string" || typeof offset !== "bigint") {
    return noSuchOverload;
  }
  if (offset < 0n) return outOfRange(offset);
  const length = codePointCount(value);
  if (part === "") return offset > BigInt(length) ? BigInt(length) : offset;
  if (offset >= BigInt(length)) return -1n;
  const found = value.indexOf(part, unitIndex(value, Number(offset)));
  return found < 0 ? -1n : BigInt(codePointCount(value.slice(0, found)));
}

function lastIndexOf(value?: CelValue, part?: CelValue, offset?: CelValue): CelResult {
  if (typeof value !== "string" || typeof part !== "string") return noSuchOverload;
  const length = codePointCount(value);
  if (offset !== undefined && typeof offset !== "bigint") return noSuchOverload;
  if (offset !== undefined && offset < 0n) return outOfRange(offset);
  if (part === "") {
    return offset === undefined || offset > BigInt(length) ? BigInt(length) : offset;
  }
  if (offset !== undefined && offset >= BigInt(length)) return -1n;
  const from = offset === undefined ? value.length : unitIndex(value, Number(offset));
  const found = value.lastIndexOf(part, from);
  return found < 0 ? -1n : BigInt(codePointCount(value.slice(0, found)));
}

/** The index in a JavaScript string of the code point with an index. */
function unitIndex(value: string, index: number): number {
  if (isFlat(value)) return index;
  return Array.from(value).slice(0, index).join("").length;
}

function replace(
  value?: CelValue,
  old?: CelValue,
  by?: CelValue,
  limit: CelValue = -1n,
): CelResult {
  if (typeof value !== "string" || typeof old !== "string" || typeof by !== "string") {
    return noSuchOverload;
  }
  if (typeof limit !== "bigint") return noSuchOverload;
  const parts = splitText(value, old, limit < 0n ? -1n : limit + 1n, "around");
  return bounded(parts.length * by.length + value.length) ?? parts.join(by);
}

function split(value?: CelValue, separator?: CelValue, limit: CelValue = -1n): CelResult {
  if (typeof value !== "string" || typeof separator !== "string" || typeof limit !== "bigint") {
    return noSuchOverload;
  }
  return new ArrayList(splitText(value, separator, limit, "between"));
}

/**
 * The parts of a string, at most `limit` unless it is negative. An empty separator matches between
 * the code points of the string, and also around them if requested.
 */
function splitText(
  value: string,
  separator: string,
  limit: bigint,
  empty: "between" | "around",
): string[] {
  if (limit === 0n) return [];
  if (separator === "") return splitCharacters(value, limit, empty);
  const parts = value.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return parts;
  const head = parts.slice(0, Number(limit) - 1);
  return [...head, parts.slice(Number(limit) - 1).join(separator)];
}

function splitCharacters(value: string, limit: bigint, empty: "between" | "around"): string[] {
  const all = Array.from(value);
  const parts = empty === "around" ? ["", ...all, ""] : all;
  if (limit < 0n || BigInt(parts.length) <= limit) return parts;
  const count = Number(limit) - 1;
  return [...parts.slice(0, count), parts.slice(count).join("")];
}

function substring(value?: CelValue, start?: CelValue, end?: CelValue): CelResult {
  if (typeof value !== "string" || typeof start !== "bigint") return noSuchOverload;
  const length = BigInt(codePointCount(value));
  const stop = end ?? length;
  if (typeof stop !== "bigint") return noSuchOverload;
  if (end !== undefined && start > stop) {
    return new CelFault(`invalid substring range. start: ${start}, end: ${stop}`);
  }
  if (start < 0n || start > length) return outOfRange(start);
  if (stop < 0n || stop > length) return outOfRange(stop);
  return value.slice(unitIndex(value, Number(start)), unitIndex(value, Number(stop)));
}

function join(list?: CelValue, separator: CelValue = ""): CelResult {
  if (!(list instanceof CelList) || typeof separator !== "string") return noSuchOverload;
  const parts: string[] = [];
  let length = 0;
  for (const element of list) {
    if (typeof element !== "string") {
      return element instanceof CelFault
        ? new CelFault(`join: invalid input: ${element.message}`)
        : new CelFault(`join: invalid input: ${goText(element)}`);
    }
    parts.push(element);
    length += element.length + separator.length;
    bounded(length);
  }
  return parts.join(separator);
}

/** Rejects a string that would be too long. */
function bounded(length: number): undefined {
  if (length > maxTextLength) throw new CostLimitExceeded();
}

function format(template?: CelValue, args?: CelValue): CelResult {
  if (typeof template !== "string" || !(args instanceof CelList)) return noSuchOverload;
  return formatString(template, args);
}

const escapes: Readonly<Record<string, string>> = table({
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
});

function quote(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped.
  return `"${value.replace(/[\x07\b\f\n\r\t\v\\"]/g, (character) => escapes[character] ?? character)}"`;
}
