/** Upstream: sigs.k8s.io/yaml/kyaml. */
import { goNumber } from "#/machinery/values/go-format.ts";
import { arranged, type ObjectPrinterOptions } from "./json-printer.ts";
import type { Printer } from "./printer.ts";

/** Prints objects as KYAML: YAML in which indentation has no meaning and every string is quoted. */
export function kyamlPrinter(options: ObjectPrinterOptions = {}): Printer {
  return {
    print: (object, out) => out.write(`---\n${render(arranged(object, options), 0)}\n`),
    printEvent: ({ type, object }, out) =>
      out.write(`---\n${render({ type, object: arranged(object, options) }, 0)}\n`),
  };
}

const indentation = (level: number): string => "  ".repeat(level);

function render(value: unknown, indent: number): string {
  if (typeof value === "string") return quoted(value, indent + 1);
  if (typeof value === "number") return goNumber(value);
  if (Array.isArray(value)) return renderList(value, indent);
  if (typeof value === "object" && value !== null) return renderMapping(value, indent);
  return String(value ?? null);
}

function renderList(items: readonly unknown[], indent: number): string {
  if (items.length === 0) return "[]";
  if (items.every((item) => typeof item === "object" && item !== null)) {
    return `[${items.map((item) => render(item, indent)).join(", ")}]`;
  }
  const lines = items.map((item) => `${indentation(indent + 1)}${render(item, indent + 1)},\n`);
  return `[\n${lines.join("")}${indentation(indent)}]`;
}

function renderMapping(object: object, indent: number): string {
  const entries = Object.entries(object);
  if (entries.length === 0) return "{}";
  const lines = entries.map(
    ([key, item]) => `${indentation(indent + 1)}${keyText(key)}: ${render(item, indent + 1)},\n`,
  );
  return `{\n${lines.join("")}${indentation(indent)}}`;
}

function keyText(key: string): string {
  return needsQuotes(key)
    ? `"${[...key].map((character) => escaped(character, true)).join("")}"`
    : key;
}

const plain = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_./-]*[\p{L}\p{N}_])?$/u;
const ambiguous =
  /^(?:null|~|true|false|t|f|0|1|y|yes|on|n|no|off|[-+]?\.inf|\.nan|[-+]?(?:inf|infinity)|nan)$/i;
const sexagesimal = /^[+-]?[1-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const timestamp = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ]\d{1,2}:\d{1,2}:\d{1,2}.*)?$/;
const number =
  /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)$/;

function needsQuotes(text: string): boolean {
  return (
    !plain.test(text) ||
    ambiguous.test(text) ||
    number.test(text.replaceAll("_", "")) ||
    sexagesimal.test(text) ||
    timestamp.test(text)
  );
}

const fold = "\\\n";

/** A string in double quotes; one of several lines is folded at line ends. */
function quoted(text: string, indent: number): string {
  if (!text.includes("\n"))
    return `"${[...text].map((character) => escaped(character, false)).join("")}"`;
  let out = `"${fold}`;
  for (const character of text) {
    if (out.endsWith("\n")) {
      const isSpace = /\s/.test(character) && character !== "\n";
      out += indentation(indent) + (isSpace ? "\\" : " ");
    }
    out += character === "\n" ? `\\n${fold}` : escaped(character, false);
  }
  return `${out.endsWith("\n") ? out : out + fold}${indentation(indent)}"`;
}

const named: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\v": "\\v",
  "\0": "\\0",
  "\x1b": "\\e",
  "\x85": "\\N",
  "\xa0": "\\_",
  "\u2028": "\\L",
  "\u2029": "\\P",
};

function escaped(character: string, isKey: boolean): string {
  if (character === "\t") return isKey ? "\\t" : "\t";
  if (character === '"' || character === "\\") return `\\${character}`;
  const short = named[character];
  if (short !== undefined) return short;
  if (/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
