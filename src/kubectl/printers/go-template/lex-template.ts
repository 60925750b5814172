/** Upstream: Go's text/template/parse/lex.go. */
import { goQuote } from "#/std/go/go-quote.ts";

export type TokenType =
  | "text"
  | "left"
  | "right"
  | "space"
  | "pipe"
  | "declare"
  | "assign"
  | "char"
  | "open"
  | "close"
  | "string"
  | "rawString"
  | "charConstant"
  | "number"
  | "field"
  | "variable"
  | "dot"
  | "identifier"
  | "bool"
  | "keyword"
  | "error"
  | "end";

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  readonly at: number;
}

const keywords = new Set([
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "range",
  "nil",
  "template",
  "with",
]);

const patterns: readonly (readonly [TokenType, RegExp])[] = [
  ["space", /^[ \t\r\n]+/],
  ["declare", /^:=/],
  ["assign", /^=/],
  ["pipe", /^\|/],
  ["open", /^\(/],
  ["close", /^\)/],
  ["string", /^"(?:[^"\\\n]|\\.)*"/],
  ["rawString", /^`[^`]*`/],
  ["charConstant", /^'(?:[^'\\\n]|\\.)*'/],
  [
    "number",
    /^[+-]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|\.?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]+)?)i?/,
  ],
  ["variable", /^\$[\p{L}\p{Nd}_]*/u],
  ["field", /^\.[\p{L}_][\p{L}\p{Nd}_]*/u],
  ["dot", /^\./],
  ["identifier", /^[\p{L}_][\p{L}\p{Nd}_]*/u],
  ["char", /^[!#-&(-_a-~]/],
];

/** Tokens that require a delimiter after them. */
const named: ReadonlySet<TokenType> = new Set(["variable", "field", "dot", "identifier"]);
const mayFollowName = /^(?:[ \t\r\n.,|:()]|\}\}|$)/;

/** Splits a template into tokens; an error is the last of them. */
export function lexTemplate(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let trims = false;
  while (at < text.length) {
    const left = text.indexOf("{{", at);
    const end = left < 0 ? text.length : left;
    const trimsBefore = left >= 0 && /^-[ \t\r\n]/.test(text.slice(left + 2, left + 4));
    pushText(tokens, text.slice(at, end), at, { start: trims, end: trimsBefore });
    if (left < 0) break;
    const inner = left + 2 + (trimsBefore ? 1 : 0);
    const comment = /^\s*\/\*/.exec(text.slice(inner));
    if (comment) {
      const close = text.indexOf("*/", inner);
      if (close < 0) return [...tokens, { type: "error", text: "unclosed comment", at: left }];
      const right = /^(?:[ \t\r\n]-)?\}\}/.exec(text.slice(close + 2));
      if (!right) {
        return [
          ...tokens,
          { type: "error", text: "comment ends before closing delimiter", at: left },
        ];
      }
      trims = right[0].length > 2;
      at = close + 2 + right[0].length;
      continue;
    }
    tokens.push({ type: "left", text: "{{", at: left });
    const action = lexAction(text, inner, tokens);
    if (action === undefined) return tokens;
    trims = action.trims;
    at = action.at;
  }
  tokens.push({ type: "end", text: "", at: text.length });
  return tokens;
}

function pushText(
  tokens: Token[],
  raw: string,
  at: number,
  trims: { readonly start: boolean; readonly end: boolean },
): void {
  const started = trims.start ? raw.replace(/^[ \t\r\n]+/, "") : raw;
  const text = trims.end ? started.replace(/[ \t\r\n]+$/, "") : started;
  if (text !== "") tokens.push({ type: "text", text, at: at + raw.length - started.length });
}

function lexAction(
  text: string,
  start: number,
  tokens: Token[],
): { readonly at: number; readonly trims: boolean } | undefined {
  let parens = 0;
  for (let at = start; ; ) {
    const rest = text.slice(at);
    const right = /^(?:[ \t\r\n]-)?\}\}/.exec(rest);
    if (right) {
      if (parens > 0) return fault(tokens, "unclosed left paren", at);
      tokens.push({ type: "right", text: "}}", at });
      return { at: at + right[0].length, trims: right[0].length > 2 };
    }
    if (rest === "") return fault(tokens, "unclosed action", at);
    if (rest === ".") return fault(tokens, 'illegal number syntax: "."', at);
    const [type, found] = nextToken(rest);
    if (found === undefined) return fault(tokens, faultOf(rest), at);
    const after = rest.slice(found.length);
    if (named.has(type) && !mayFollowName.test(after)) {
      return fault(tokens, `bad character ${characterText(after)}`, at);
    }
    if (type === "open") parens++;
    if (type === "close" && --parens < 0) return fault(tokens, "unexpected right paren", at);
    tokens.push({ type: typeOf(type, found), text: found, at });
    at += found.length;
  }
}

function nextToken(rest: string): [TokenType, string | undefined] {
  for (const [type, pattern] of patterns) {
    const match = pattern.exec(rest);
    if (match) return [type, match[0]];
  }
  return ["error", undefined];
}

function typeOf(type: TokenType, text: string): TokenType {
  if (type !== "identifier") return type;
  if (keywords.has(text)) return "keyword";
  return text === "true" || text === "false" ? "bool" : "identifier";
}

function faultOf(rest: string): string {
  if (rest.startsWith('"')) return "unterminated quoted string";
  if (rest.startsWith("`")) return "unterminated raw quoted string";
  if (rest.startsWith("'")) return "unterminated character constant";
  return `unrecognized character in action: ${characterText(rest)}`;
}

function characterText(rest: string): string {
  const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `U+${code} ${goQuote(character).replace(/^"|"$/g, "'")}`;
}

function fault(tokens: Token[], text: string, at: number): undefined {
  tokens.push({ type: "error", text, at });
  return undefined;
}
