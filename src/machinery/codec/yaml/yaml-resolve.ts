/** The meaning of a plain scalar of YAML 1.1. */
export type Resolved =
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "timestamp"; readonly value: string }
  | { readonly type: "null" }
  | { readonly type: "boolean"; readonly value: boolean }
  /** Up to 64 bits, signed or unsigned. */
  | { readonly type: "integer"; readonly value: bigint }
  | { readonly type: "float"; readonly value: number };

const words: ReadonlyMap<string, Resolved> = new Map(
  (
    [
      [{ type: "boolean", value: true }, "y Y yes Yes YES true True TRUE on On ON"],
      [{ type: "boolean", value: false }, "n N no No NO false False FALSE off Off OFF"],
      [{ type: "null" }, " ~ null Null NULL"],
      [{ type: "float", value: Number.NaN }, ".nan .NaN .NAN"],
      [{ type: "float", value: Number.POSITIVE_INFINITY }, ".inf .Inf .INF +.inf +.Inf +.INF"],
      [{ type: "float", value: Number.NEGATIVE_INFINITY }, "-.inf -.Inf -.INF"],
    ] satisfies [Resolved, string][]
  ).flatMap(([resolved, list]) =>
    list.split(" ").map((word): [string, Resolved] => [word, resolved]),
  ),
);

/** Limit of a number's text (characters): longer ones are no realistic numbers. */
const maxNumberLength = 1024;

/**
 * Resolves an unquoted scalar by the rules of YAML 1.1 as goyaml implements them.
 *
 * Upstream: vendor/go.yaml.in/yaml/v2/resolve.go.
 */
export function resolvePlain(text: string): Resolved {
  const word = words.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  const isNumeric = (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d;
  if (text.length > maxNumberLength || (!isNumeric && first !== 0x2e)) {
    return { type: "string", value: text };
  }
  if (isTimestamp(text)) return { type: "timestamp", value: text };
  const digits = isNumeric ? text.replaceAll("_", "") : text.replaceAll(betweenDigits, "");
  return resolveNumber(digits) ?? { type: "string", value: text };
}

const betweenDigits = /(?<=\d)_(?=\d)/g;
const floatSyntax = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

function resolveNumber(text: string): Resolved | undefined {
  const integer = text.startsWith(".") ? undefined : parseInteger(text);
  if (integer !== undefined) return { type: "integer", value: integer };
  if (!floatSyntax.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? { type: "float", value } : undefined;
}

const maxUint64 = 2n ** 64n - 1n;
const minInt64 = -(2n ** 63n);

/**
 * An integer in the syntax of Go's source code: decimal, 0x, 0o, 0b, and octal after a leading
 * zero.
 */
function parseInteger(text: string): bigint | undefined {
  const [, sign = "", prefix = "", digits = ""] =
    /^([-+]?)(0[xXbB]|0[oO]?)?([0-9a-fA-F]*)$/.exec(text) ?? [];
  const base = prefix === "0" ? "0o" : prefix.toLowerCase();
  if (digits === "" && prefix !== "0") return undefined;
  if (!digitsOf(base).test(digits)) return undefined;
  const magnitude = BigInt(`${base}${digits || "0"}`);
  const value = sign === "-" ? -magnitude : magnitude;
  // Go accepts an unsigned integer only without a sign.
  const max = sign === "" ? maxUint64 : maxUint64 / 2n;
  return value >= minInt64 && value <= max ? value : undefined;
}

function digitsOf(base: string): RegExp {
  if (base === "0x") return /^[0-9a-fA-F]+$/;
  if (base === "0o") return /^[0-7]*$/;
  return base === "0b" ? /^[01]+$/ : /^[0-9]+$/;
}

const timestampSyntax =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt](\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?(?:Z|[-+](\d\d):(\d\d)))| +(\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?)?$/;

/**
 * Whether a text is a date, or a date and time, by goyaml's rules; it stays a string, but needs
 * quotes.
 */
function isTimestamp(text: string): boolean {
  const match = timestampSyntax.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, ...rest] = match.slice(1).map((part) => Number(part ?? 0));
  const [hour1 = 0, minute1 = 0, second1 = 0, zoneHour = 0, zoneMinute = 0] = rest;
  const [hour2 = 0, minute2 = 0, second2 = 0] = rest.slice(5);
  const days = new Date(new Date(0).setUTCFullYear(year, month, 0)).getUTCDate();
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= days &&
    Math.max(hour1, hour2) < 24 &&
    Math.max(minute1, minute2, second1, second2) < 60 &&
    zoneHour <= 24 &&
    zoneMinute <= 60
  );
}
