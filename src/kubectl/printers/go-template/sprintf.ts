/** Upstream: Go's fmt package, for JSON values. */

import { goSyntax, goType, goValue } from "#/machinery/patch/values/go-value.ts";
import { goNumber } from "#/machinery/values/go-format.ts";
import { formatShortest } from "#/std/go/float.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { plain, TypedNumber } from "./typed-number.ts";

/** The Go type of a value in a template. */
export function typeText(value: unknown): string {
  return value instanceof TypedNumber ? value.goType : goType(value);
}

interface Verb {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly letter: string;
}

const directive = /%([-+# 0]*)(\d*)(?:\.(\d*))?(?:\[(\d+)\])?(.)?/gsu;

/** Formats values by a format of Go's. */
export function sprintf(format: string, args: readonly unknown[]): string {
  let next = 0;
  const text = format.replace(
    directive,
    (
      _,
      flags: string,
      width: string,
      precision: string | undefined,
      index: string | undefined,
      letter = "",
    ) => {
      if (letter === "%") return "%";
      if (letter === "") return "%!(NOVERB)";
      if (index !== undefined) next = Number(index) - 1;
      if (next >= args.length) return `%!${letter}(MISSING)`;
      const verb = {
        flags,
        width: Number(width || 0),
        precision: precision === undefined ? undefined : Number(precision || 0),
        letter: letter as string,
      };
      return pad(formatValue(args[next++], verb), verb);
    },
  );
  if (next >= args.length) return text;
  const extra = args.slice(next).map(extraText);
  return `${text}%!(EXTRA ${extra.join(", ")})`;
}

function extraText(value: unknown): string {
  return value === null || value === undefined ? "<nil>" : `${typeText(value)}=${goValue(value)}`;
}

function pad(text: string, { flags, width }: Verb): string {
  const missing = width - [...text].length;
  if (missing <= 0) return text;
  if (flags.includes("-")) return text + " ".repeat(missing);
  if (!flags.includes("0")) return " ".repeat(missing) + text;
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  return sign + "0".repeat(missing) + text.slice(sign.length);
}

function formatValue(given: unknown, verb: Verb): string {
  const value = plain(given);
  const { letter, flags } = verb;
  if (letter === "v") return flags.includes("#") ? goSyntax(value) : goValue(value);
  if (letter === "T") return typeText(given);
  if (typeof value === "boolean") return letter === "t" ? String(value) : bad(value, letter);
  if (typeof value === "number" || typeof value === "bigint") {
    return formatNumber(value, verb, typeText(given));
  }
  if (typeof value === "string") return formatString(value, verb);
  if (Array.isArray(value)) return `[${value.map((item) => formatValue(item, verb)).join(" ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `map[${entries.map(([key, item]) => `${formatValue(key, verb)}:${formatValue(item, verb)}`).join(" ")}]`;
  }
  return `%!${letter}(<nil>)`;
}

function formatString(value: string, { letter, precision, flags }: Verb): string {
  const cut = precision === undefined ? value : [...value].slice(0, precision).join("");
  if (letter === "s") return cut;
  if (letter === "q") {
    return flags.includes("#") && !cut.includes("`") ? `\`${cut}\`` : goQuote(cut);
  }
  if (letter === "x") return Buffer.from(cut).toString("hex");
  if (letter === "X") return Buffer.from(cut).toString("hex").toUpperCase();
  return bad(value, letter);
}

function formatNumber(value: number | bigint, verb: Verb, type: string): string {
  const { letter, precision, flags } = verb;
  const sign =
    flags.includes("+") && value >= 0 ? "+" : flags.includes(" ") && value >= 0 ? " " : "";
  if (typeof value === "bigint" || type !== "float64") {
    const text = integerText(BigInt(value), letter, flags);
    return text === undefined ? bad(value, letter, type) : sign + text;
  }
  if (letter === "f" || letter === "F") return sign + value.toFixed(precision ?? 6);
  if (letter === "e" || letter === "E") return sign + exponential(value, precision ?? 6, letter);
  if (letter === "g" || letter === "G") {
    return (
      sign +
      (precision === undefined
        ? formatShortest(value)
        : String(Number(value.toPrecision(precision || 1))))
    );
  }
  return bad(value, letter);
}

function exponential(value: number, precision: number, letter: string): string {
  return value
    .toExponential(precision)
    .replace(/e([+-])(\d)$/, "e$10$2")
    .replace("e", letter);
}

function integerText(value: bigint, letter: string, flags: string): string | undefined {
  const prefix = (text: string): string => (flags.includes("#") ? text : "");
  switch (letter) {
    case "d":
      return value.toString();
    case "x":
      return prefix("0x") + value.toString(16);
    case "X":
      return prefix("0X") + value.toString(16).toUpperCase();
    case "o":
      return prefix("0") + value.toString(8);
    case "b":
      return value.toString(2);
    case "c":
      return String.fromCodePoint(Number(value));
    case "q":
      return `'${String.fromCodePoint(Number(value))}'`;
    case "U":
      return `U+${value.toString(16).toUpperCase().padStart(4, "0")}`;
    default:
      return undefined;
  }
}

function bad(value: unknown, letter: string, type = goType(value)): string {
  const text = typeof value === "number" ? goNumber(value) : goValue(value);
  return `%!${letter}(${type}=${text})`;
}
