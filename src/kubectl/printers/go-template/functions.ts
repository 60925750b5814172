/** Upstream: Go's text/template/funcs.go, k8s.io/cli-runtime/pkg/printers/template.go. */
import { goType, goValue } from "#/machinery/patch/go-value.ts";
import { goQuote } from "#/std/go-quote.ts";
import { sprintf } from "./sprintf.ts";

/** A function of a template; it throws with the reason. */
export interface TemplateFunction {
  readonly min: number;
  /** Undefined where any number of arguments is right. */
  readonly max?: number;
  call(...args: readonly unknown[]): unknown;
}

/** Whether a value counts as true. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** The functions that templates of kubectl have; `and` and `or` are evaluated by the template itself. */
export const templateFunctions: Readonly<Record<string, TemplateFunction>> = {
  and: { min: 1, call: (...args) => args.find((arg) => !isTrue(arg)) ?? args.at(-1) },
  or: { min: 1, call: (...args) => args.find(isTrue) ?? args.at(-1) },
  not: { min: 1, max: 1, call: (value) => !isTrue(value) },
  call: {
    min: 1,
    call: (value) => {
      throw new Error(`non-function of type ${goType(value)}`);
    },
  },
  html: { min: 0, call: (...args) => escapeHtml(printed(args)) },
  js: { min: 0, call: (...args) => escapeJs(printed(args)) },
  urlquery: { min: 0, call: (...args) => encodeURIComponent(printed(args)).replaceAll("%20", "+") },
  index: { min: 1, call: (value, ...keys) => keys.reduce(indexed, value) },
  slice: { min: 1, call: sliced },
  len: { min: 1, max: 1, call: lengthOf },
  print: { min: 0, call: (...args) => printed(args) },
  println: { min: 0, call: (...args) => `${args.map(goValue).join(" ")}\n` },
  printf: { min: 1, call: (format, ...args) => sprintf(String(format), args) },
  eq: { min: 1, call: equalsAny },
  ne: { min: 2, max: 2, call: (a, b) => !equals(a, b) },
  lt: { min: 2, max: 2, call: (a, b) => isLess(a, b) },
  le: { min: 2, max: 2, call: (a, b) => isLess(a, b) || equals(a, b) },
  gt: { min: 2, max: 2, call: (a, b) => !isLess(a, b) && !equals(a, b) },
  ge: { min: 2, max: 2, call: (a, b) => !isLess(a, b) },
  exists: { min: 1, call: exists },
  base64decode: { min: 1, max: 1, call: decodeBase64 },
};

/** As fmt.Sprint: a space between two values of which neither is a text. */
function printed(args: readonly unknown[]): string {
  return args
    .map((arg, i) => {
      const spaced = i > 0 && typeof arg !== "string" && typeof args[i - 1] !== "string";
      return (spaced ? " " : "") + goValue(arg);
    })
    .join("");
}

function indexed(value: unknown, key: unknown): unknown {
  if (value === null || value === undefined) throw new Error("index of untyped nil");
  if (typeof value === "string") return Buffer.from(value)[indexOf(key, Buffer.byteLength(value))];
  if (Array.isArray(value)) return value[indexOf(key, value.length)] as unknown;
  if (typeof value !== "object") throw new Error(`can't index item of type ${goType(value)}`);
  if (typeof key !== "string") throw new Error(`value has type ${goType(key)}; should be string`);
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

function indexOf(key: unknown, length: number): number {
  if (key === null || key === undefined) throw new Error("cannot index slice/array with nil");
  if (typeof key !== "number") throw new Error(`cannot index slice/array with type ${goType(key)}`);
  if (key < 0 || key >= length) throw new Error(`index out of range: ${key}`);
  return key;
}

function sliced(value: unknown, ...bounds: readonly unknown[]): unknown {
  if (typeof value !== "string" && !Array.isArray(value)) {
    throw new Error(`can't slice item of type ${goType(value)}`);
  }
  const [from, to] = bounds.map((bound) => indexOf(bound, value.length + 1));
  return value.slice(from, to);
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.length;
  if (typeof value === "object" && value !== null) return Object.keys(value).length;
  throw new Error(
    value === null || value === undefined ? "len of nil pointer" : `len of type ${goType(value)}`,
  );
}

type Kind = "bool" | "number" | "string" | "nil" | "other";

function kindOf(value: unknown): Kind {
  if (value === null || value === undefined) return "nil";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number" || typeof value === "bigint") return "number";
  return typeof value === "string" ? "string" : "other";
}

function equalsAny(first: unknown, ...others: readonly unknown[]): boolean {
  if (others.length === 0) throw new Error("missing argument for comparison");
  return others.some((other) => equals(first, other));
}

function equals(a: unknown, b: unknown): boolean {
  const kind = kindOf(a);
  if (kind === "nil" || kindOf(b) === "nil") return kind === kindOf(b);
  if (kind === "other" || kindOf(b) === "other") throw new Error("non-comparable types");
  if (kind !== kindOf(b)) throw new Error("incompatible types for comparison");
  return a === b;
}

function isLess(a: unknown, b: unknown): boolean {
  const kind = kindOf(a);
  if (kind !== kindOf(b)) throw new Error("incompatible types for comparison");
  if (kind === "number" || kind === "string") return (a as string) < (b as string);
  throw new Error("invalid type for comparison");
}

function exists(value: unknown, ...keys: readonly unknown[]): boolean {
  let found = value;
  for (const key of keys) {
    const isIndex = typeof key === "number" && (Array.isArray(found) || typeof found === "string");
    const isKey = typeof key === "string" && typeof found === "object" && !Array.isArray(found);
    if (!isIndex && !isKey) return false;
    if (found === null || found === undefined) return false;
    found = (found as Record<string | number, unknown>)[key as string];
  }
  return found !== null && found !== undefined;
}

function decodeBase64(text: unknown): string {
  if (typeof text !== "string")
    throw new Error(`wrong type for value; expected string; got ${goType(text)}`);
  const wrong = /[^A-Za-z0-9+/=\r\n]/.exec(text)?.index;
  if (wrong !== undefined || text.replace(/[\r\n]/g, "").length % 4 !== 0) {
    throw new Error(
      `base64 decode failed: illegal base64 data at input byte ${wrong ?? lastPart(text)}`,
    );
  }
  return Buffer.from(text, "base64").toString();
}

const lastPart = (text: string): number => text.length - (text.length % 4);

const htmlEscapes: Readonly<Record<string, string>> = {
  "\0": "\ufffd",
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
};

function escapeHtml(text: string): string {
  return text.replace(/[\0"'&<>]/g, (character) => htmlEscapes[character] ?? character);
}

function escapeJs(text: string): string {
  return text.replace(/[\\'"<>&=]|[^\x20-\x7e]/g, (character) => {
    if ("\\'\"".includes(character)) return `\\${character}`;
    const quoted = goQuote(character).slice(1, -1);
    if (quoted.startsWith("\\u")) return quoted;
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  });
}
