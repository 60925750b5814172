import { spendEffort } from "./effort.ts";
import { knownSize } from "./evaluation-memory.ts";

/** The number of code points in a string, its size in the language. */
export const codePointCount = (text: string): number => knownSize(text, countCodePoints);

function countCodePoints(text: string): number {
  let count = text.length;
  spendEffort(count >> 3);
  for (let i = 0; i < text.length; i++) if (isLowSurrogate(text.charCodeAt(i))) count--;
  return count;
}

/** Whether each code point takes one unit in a JavaScript string. */
export function isFlat(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
