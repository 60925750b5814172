/** Upstream: Go's text/template/funcs.go, staging/src/k8s.io/cli-runtime/pkg/printers/template.go. */
import { goValue } from "#/machinery/patch/values/go-value.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { sprintf, typeText } from "./sprintf.ts";
import { plain } from "./typed-number.ts";

/** A function of a template; it throws the reason of a failure. */
interface TemplateFunction {
  readonly min: number;
  /** Undefined for any number of arguments. */
  readonly max?: number;
  /** Number of leading arguments that must be strings. */
  readonly wantsText?: number;
  call(...args: readonly unknown[]): unknown;
}

/** Whether a value counts as true. */
export function isTrue(given: unknown): boolean {
  const value = plain(given);
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** The functions in kubectl's templates; `and` and `or` are evaluated by the template itself. */
export const templateFunctions: Readonly<Record<string, TemplateFunction>> = {
  and: { min: 1, call: (...args) => args.find((arg) => !isTrue(arg)) ?? args.at(-1) },
  or: { min: 1, call: (...args) => args.find(isTrue) ?? args.at(-1) },
  not: { min: 1, max: 1, call: (value) => !isTrue(value) },
  call: {
    min: 1,
    call: (value) => {
      throw new Error(`non-function of type ${typeText(value)}`);
    },
  },
  html: { min: 0, call: (...args) => escapeHtml(printedForText(args)) },
  js: { min: 0, call: (...args) => escapeJs(printedForText(args)) },
  urlquery: {
    min: 0,
    call: (...args) => encodeURIComponent(printedForText(args)).replaceAll("%20", "+"),
  },
  index: { min: 1, call: (value, ...keys) => keys.reduce(indexed, value) },
  slice: { min: 1, call: sliced },
  len: { min: 1, max: 1, call: lengthOf },
  print: { min: 0, call: (...args) => printed(args) },
  println: { min: 0, call: (...args) => `${args.map(goValue).join(" ")}\n` },
  printf: { min: 1, wantsText: 1, call: (format, ...args) => sprintf(String(format), args) },
  eq: { min: 1, call: equalsAny },
  ne: { min: 2, max: 2, call: (a, b) => !equals(a, b) },
  lt: { min: 2, max: 2, call: (a, b) => isLess(a, b) },
  le: { min: 2, max: 2, call: (a, b) => isLess(a, b) || equals(a, b) },
  gt: { min: 2, max: 2, call: (a, b) => !isLess(a, b) && !equals(a, b) },
  ge: { min: 2, max: 2, call: (a, b) => !isLess(a, b) },
  exists: { min: 1, call: exists },
  base64decode: { min: 1, max: 1, wantsText: 1, call: decodeBase64 },
};

/** As fmt.Sprint: a space between two values if neither is a string. */
function printed(args: readonly unknown[]): string {
  return args
    .map((arg, i) => {
      const spaced = i > 0 && typeof arg !== "string" && typeof args[i - 1] !== "string";
      return (spaced ? " " : "") + goValue(arg);
    })
    .join("");
}

/** A missing value has another text inside a string. */
function printedForText(args: readonly unknown[]): string {
  return printed(args.map((arg) => (arg === null || arg === undefined ? "<no value>" : arg)));
}

function indexed(value: unknown, key: unknown): unknown {
  if (value === null || value === undefined) throw new Error("index of untyped nil");
  if (typeof value === "string") {
    const bytes = Buffer.from(value);
    return bytes[itemIndex(key, bytes.length, "string")];
  }
  if (Array.isArray(value)) return value[itemIndex(key, value.length, "slice")] as unknown;
  if (typeof value !== "object" || value instanceof Number) {
    throw new Error(`can't index item of type ${typeText(value)}`);
  }
  if (typeof key !== "string") throw new Error(`value has type ${typeText(key)}; should be string`);
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

/** An index of an item; the list itself detects one past the end. */
function itemIndex(key: unknown, length: number, kind: string): number {
  const index = indexOf(key, length);
  if (index === length) throw new Error(`reflect: ${kind} index out of range`);
  return index;
}

function indexOf(given: unknown, length: number): number {
  const key = plain(given);
  if (key === null || key === undefined) throw new Error("cannot index slice/array with nil");
  if (typeof key !== "number") {
    throw new Error(`cannot index slice/array with type ${typeText(given)}`);
  }
  if (key < 0 || key > length) throw new Error(`index out of range: ${key}`);
  return key;
}

function sliced(value: unknown, ...bounds: readonly unknown[]): unknown {
  if (value === null || value === undefined) throw new Error("slice of untyped nil");
  if (typeof value !== "string" && !Array.isArray(value)) {
    throw new Error(`can't slice item of type ${typeText(value)}`);
  }
  const [from, to] = bounds.map((bound) => indexOf(bound, value.length));
  return value.slice(from, to);
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.length;
  if (typeof value === "object" && value !== null && !(value instanceof Number)) {
    return Object.keys(value).length;
  }
  throw new Error(
    value === undefined
      ? "reflect: call of reflect.Value.Type on zero Value"
      : value === null
        ? "len of nil pointer"
        : `len of type ${typeText(value)}`,
  );
}

type Kind = "bool" | "int" | "float" | "string" | "nil" | "other";

function kindOf(value: unknown): Kind {
  if (value === null || value === undefined) return "nil";
  const type = typeText(value);
  if (type === "bool" || type === "string") return type;
  if (type === "float64") return "float";
  return type.startsWith("int") && typeof plain(value) !== "object" ? "int" : "other";
}

function equalsAny(first: unknown, ...others: readonly unknown[]): boolean {
  if (others.length === 0) throw new Error("missing argument for comparison");
  return others.some((other) => equals(first, other));
}

function equals(a: unknown, b: unknown): boolean {
  const [kind, other] = [kindOf(a), kindOf(b)];
  if (kind === "other") throw notComparable(a);
  if (kind === "nil" || other === "nil") return kind === other;
  if (kind === other) return plain(a) === plain(b);
  if (other === "other") throw notComparable(b);
  throw incompatible(a, b);
}

function notComparable(value: unknown): Error {
  return new Error(`non-comparable type ${sprintf("%s", [value])}: ${typeText(value)}`);
}

function incompatible(a: unknown, b: unknown): Error {
  const types = `${typeText(a)} and ${typeText(b)}`;
  return new Error(`incompatible types for comparison: ${types}`);
}

function isLess(a: unknown, b: unknown): boolean {
  const [kind, other] = [kindOf(a), kindOf(b)];
  const hasNoOrder = (each: Kind): boolean => each === "nil" || each === "other";
  if (hasNoOrder(kind) || hasNoOrder(other)) throw new Error("invalid type for comparison");
  if (kind !== other) throw incompatible(a, b);
  if (kind === "bool") throw new Error("invalid type for comparison");
  return (plain(a) as string) < (plain(b) as string);
}

function exists(value: unknown, ...keys: readonly unknown[]): boolean {
  let found = value;
  for (const key of keys.map(plain)) {
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
    throw new Error(`wrong type for value; expected string; got ${typeText(text)}`);
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
