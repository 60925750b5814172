import type { Issues } from "./issues.ts";
import { scanNumber, scanQuoted, scanString, scanWhile } from "./scan.ts";
import type { Source } from "./source.ts";
import { keywords, operators, type Scan, type Token } from "./token.ts";

/**
 * The tokens of an expression; the last one is the end. Invalid characters are reported and
 * skipped.
 *
 * Upstream: vendor/github.com/google/cel-go/parser/gen/CEL.g4.
 */
export function tokenize(source: Source, issues: Issues): Token[] {
  const { characters } = source;
  const tokens: Token[] = [];
  let position = 0;
  let blank = "";
  for (;;) {
    const start = skipBlank(characters, position);
    blank += source.slice(position, start);
    if (start >= characters.length) {
      tokens.push({ kind: "<EOF>", text: "<EOF>", offset: characters.length, blank });
      return tokens;
    }
    const { kind, end } = scanToken(characters, start);
    if (kind === undefined) {
      const text = source.slice(start, Math.min(end + 1, characters.length));
      issues.report(start, `Syntax error: token recognition error at: '${text}'`);
      position = end + 1;
      continue;
    }
    const text = source.slice(start, end);
    tokens.push({
      kind: keywords.find((word) => word === text) ?? kind,
      text,
      offset: start,
      blank,
    });
    position = end;
    blank = "";
  }
}

const blanks: ReadonlySet<string> = new Set(["\t", " ", "\r", "\n", "\f"]);

function skipBlank(characters: ArrayLike<string>, start: number): number {
  let position = start;
  for (;;) {
    position = scanWhile(characters, position, (character) => blanks.has(character));
    if (characters[position] !== "/" || characters[position + 1] !== "/") return position;
    position = scanWhile(characters, position, (character) => character !== "\n");
  }
}

function scanToken(characters: ArrayLike<string>, start: number): Scan {
  const first = characters[start] ?? "";
  const string = scanString(characters, start);
  if (string?.kind !== undefined) return string;
  if (/[A-Za-z_]/.test(first)) {
    return { kind: "IDENTIFIER", end: scanWhile(characters, start, isWordCharacter) };
  }
  const number = scanNumber(characters, start);
  if (number !== undefined) return number;
  if (first === "`") return scanQuoted(characters, start);
  return string ?? scanOperator(characters, start);
}

const isWordCharacter = (character: string): boolean => /\w/.test(character);

function scanOperator(characters: ArrayLike<string>, start: number): Scan {
  const first = characters[start] ?? "";
  const pair = first + (characters[start + 1] ?? "");
  for (const operator of operators) {
    if (operator === pair || operator === first) {
      return { kind: operator, end: start + operator.length };
    }
  }
  return { end: "=&|".includes(first) ? start + 1 : start };
}
