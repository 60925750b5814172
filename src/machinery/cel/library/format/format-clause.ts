import type { CelType } from "../../type/cel-type.ts";

const verbs = ["s", "d", "f", "e", "b", "x", "X", "o"] as const;

/** A placeholder of a format string. */
export interface Clause {
  readonly verb: (typeof verbs)[number];
  readonly precision: number | undefined;
  /** Index of the argument. */
  readonly index: number;
}

/** An invalid format string or argument. */
export class ClauseError extends Error {
  override readonly name = "ClauseError";
}

/** The texts and placeholders of a format string, in order. Throws ClauseError. */
export function parseClauses(template: string, argCount: number): (string | Clause)[] {
  const parts: (string | Clause)[] = [];
  let index = 0;
  let position = 0;
  while (position < template.length) {
    const percent = template.indexOf("%", position);
    if (percent < 0) break;
    if (percent > position) parts.push(template.slice(position, percent));
    if (template[percent + 1] === "%") {
      parts.push("%");
      position = percent + 2;
      continue;
    }
    const { clause, end } = parseClause(template, percent + 1, index, argCount);
    parts.push(clause);
    index++;
    position = end;
  }
  if (position < template.length) parts.push(template.slice(position));
  return parts;
}

function parseClause(template: string, start: number, index: number, argCount: number) {
  if (index >= argCount) throw new ClauseError(`index ${index} out of range`);
  if (start >= template.length) throw new ClauseError("unexpected end of string");
  const { precision, end } = parsePrecision(template, start);
  const character = template.slice(end)[0] ?? "";
  const verb = verbs.find((known) => known === character);
  if (verb === undefined) {
    const shown = String.fromCodePoint(Buffer.from(template.slice(end, end + 2))[0] ?? 0);
    throw new ClauseError(
      `could not parse formatting clause: unrecognized formatting clause "${shown}"`,
    );
  }
  return { clause: { verb, precision, index }, end: end + 1 };
}

function parsePrecision(template: string, start: number) {
  if (template[start] !== ".") return { precision: undefined, end: start };
  const digits = /^\d*/.exec(template.slice(start + 1))?.[0] ?? "";
  const end = start + 1 + digits.length;
  const refuse = (why: string) => {
    return new ClauseError(
      `could not parse formatting clause: error while parsing precision: ${why}`,
    );
  };
  if (end >= template.length) throw refuse("could not find end of precision specifier");
  const convert = `error while converting precision to integer: strconv.Atoi: parsing "${digits}"`;
  if (digits === "") throw refuse(`${convert}: invalid syntax`);
  if (BigInt(digits) > 2n ** 63n - 1n) throw refuse(`${convert}: value out of range`);
  return { precision: Number(digits), end };
}

const kinds: Readonly<Record<Clause["verb"], readonly CelType["kind"][]>> = {
  s: [
    ...(["list", "map", "int", "uint", "double", "bool", "string"] as const),
    ...(["timestamp", "bytes", "duration", "type", "null"] as const),
  ],
  d: ["int", "uint"],
  f: ["double", "string"],
  e: ["double", "string"],
  b: ["int", "uint", "bool"],
  x: ["int", "uint", "string", "bytes"],
  X: ["int", "uint", "string", "bytes"],
  o: ["int", "uint"],
};

const hexadecimal = "only integers, byte buffers, and strings can be formatted as hex";
const messages: Readonly<Record<Clause["verb"], string>> = {
  s: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  d: "decimal clause can only be used on integers",
  f: "fixed-point clause can only be used on doubles",
  e: "scientific clause can only be used on doubles",
  b: "only integers and bools can be formatted as binary",
  x: hexadecimal,
  X: hexadecimal,
  o: "octal clause can only be used on integers",
};

/** The error if a placeholder does not support a value of a type; undefined if it does. */
export function clauseProblem(
  verb: Clause["verb"],
  type: CelType | undefined,
  name = type?.name ?? "",
): string | undefined {
  if (type !== undefined && (type.kind === "dyn" || kinds[verb].includes(type.kind)))
    return undefined;
  return `${messages[verb]}, was given ${name}`;
}
