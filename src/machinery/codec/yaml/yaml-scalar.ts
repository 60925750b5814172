import { resolvePlain } from "./yaml-resolve.ts";

/** The style of a string in YAML. */
export type ScalarStyle = "plain" | "single" | "double" | "literal";

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** Characters that can only be written as an escape. */
const unprintable = /[^\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

/** Characters that cannot start a plain scalar, and those that cannot be in one. */
const indicators = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t\n]|$)|---|\.\.\.)|:(?:[ \t\n]|$)|[ \t\n]#/;

const breaks = /[\n\r\u0085\u2028\u2029]/;

/**
 * Unicode line breaks, which upstream writes unescaped and indents; in double quotes they are read
 * back unchanged.
 */
const rareBreaks = /[\u2028\u2029]/;

/**
 * Chooses a style for a string: plain if it would be read as the same string, else quoted; several
 * lines as a literal block. A key is on one line.
 *
 * Upstream: vendor/go.yaml.in/yaml/v2/encode.go, emitterc.go.
 */
export function scalarStyle(text: string, isKey: boolean): ScalarStyle {
  const isSpecial = unprintable.test(text) || rareBreaks.test(text);
  if (text.includes("\n")) {
    const blockAllowed = !isSpecial && !/ \n| $/.test(text);
    return blockAllowed && !isKey ? "literal" : "double";
  }
  const isText = resolvePlain(text).type === "string" && !base60.test(text);
  if (!isText || isSpecial) return "double";
  if (/^ | $/.test(text) || indicators.test(text)) return "single";
  return "plain";
}

/** Whether a key is short and on one line, so that it needs no question mark before it. */
export function isSimpleKey(text: string): boolean {
  return !breaks.test(text) && Buffer.byteLength(text) <= 128;
}

const escapes: ReadonlyMap<number, string> = new Map([
  [0x00, "0"],
  [0x07, "a"],
  [0x08, "b"],
  [0x09, "t"],
  [0x0a, "n"],
  [0x0b, "v"],
  [0x0c, "f"],
  [0x0d, "r"],
  [0x1b, "e"],
  [0x22, '"'],
  [0x5c, "\\"],
  [0x85, "N"],
  [0xa0, "_"],
  [0x2028, "L"],
  [0x2029, "P"],
]);

/** Whether a character has to be escaped between double quotes. */
export function needsEscape(character: string): boolean {
  return unprintable.test(character) || breaks.test(character) || /["\\]/.test(character);
}

/** A character as an escape of a double-quoted text. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const short = escapes.get(code);
  if (short !== undefined) return `\\${short}`;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
