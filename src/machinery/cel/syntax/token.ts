/** The operators of the language, longer ones first. */
export const operators = [
  "==",
  "!=",
  "<=",
  ">=",
  "&&",
  "||",
  "<",
  ">",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  ".",
  ",",
  "-",
  "!",
  "?",
  ":",
  "+",
  "*",
  "/",
  "%",
] as const;

/** Words that are not identifiers. */
export const keywords = ["true", "false", "null", "in"] as const;

/** Kinds of tokens: operators and keywords by their text, the others by the grammar's names. */
export type TokenKind =
  | (typeof operators)[number]
  | (typeof keywords)[number]
  | "NUM_FLOAT"
  | "NUM_INT"
  | "NUM_UINT"
  | "STRING"
  | "BYTES"
  | "IDENTIFIER"
  | "ESC_IDENTIFIER"
  | "<EOF>";

/** A token of the expression. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Code point of its first character. */
  readonly offset: number;
  /** White space and comments before it. */
  readonly blank: string;
}

/** The end of a scanned token, or of the longest prefix of a possible one. */
export interface Scan {
  readonly kind?: TokenKind;
  /** The first code point after the token; without a kind, the first invalid one. */
  readonly end: number;
}
