import type { Facts } from "../../src/api/base/facts.ts";

/** Writes facts as JSON with one field on each line, so that a change of upstream's shows as a change of one line. */
export function writeJson({ enums, lists, named, aliases, structs, ...head }: Facts): string {
  const parts = [
    ...Object.entries(head).map(([key, value]) => `"${key}": ${inline(value)}`),
    `"enums": ${lines(enums, inline, "  ")}`,
    `"lists": ${lines(lists, inline, "  ")}`,
    `"named": ${lines(named, inline, "  ")}`,
    `"aliases": ${lines(aliases, inline, "  ")}`,
    `"structs": ${lines(structs, ({ fields, ...rest }) => writeStruct(fields, rest), "  ")}`,
  ];
  return `{\n  ${parts.join(",\n  ")}\n}\n`;
}

function writeStruct(fields: object, rest: object): string {
  const facts = Object.entries(rest).map(([key, value]) => `"${key}": ${inline(value)}, `);
  return `{${facts.join("")}"fields": ${lines(fields, inline, "    ")}}`;
}

function lines<T>(
  record: Readonly<Record<string, T>> | object,
  write: (value: T) => string,
  indent: string,
): string {
  const entries = Object.entries(record) as [string, T][];
  if (entries.length === 0) return "{}";
  return `{\n${entries.map(([key, value]) => `${indent}  ${inline(key)}: ${write(value)}`).join(",\n")}\n${indent}}`;
}

/** JSON on one line, with a space after commas and colons. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}: ${inline(inner)}`,
  );
  return `{${entries.join(", ")}}`;
}
