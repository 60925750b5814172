import { spendEffort } from "./effort.ts";

/** How many code points a text has, which is its size in the language. */
export function codePointCount(text: string): number {
  let count = text.length;
  spendEffort(count >> 6);
  for (let i = 0; i < text.length; i++) if (isLowSurrogate(text.charCodeAt(i))) count--;
  return count;
}

/** Whether each code point takes one place in a JavaScript string. */
export function isFlat(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}

/** Orders texts by code point, as their bytes in UTF-8 are ordered. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Places surrogates, which belong to code points above all others, after the rest. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
