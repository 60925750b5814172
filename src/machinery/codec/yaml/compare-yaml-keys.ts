/**
 * Compares the keys of a mapping in goyaml's order: letters after everything else, and numbers
 * inside by value, so that a2 is before a10.
 *
 * Upstream: vendor/go.yaml.in/yaml/v2/sorter.go.
 */
export function compareYamlKeys(left: string, right: string): number {
  const a = [...left];
  const b = [...right];
  const length = Math.min(a.length, b.length);
  let same = 0;
  while (same < length && a[same] === b[same]) same++;
  if (same === length) return a.length - b.length;
  const isLetterA = letter.test(a[same] ?? "");
  const isLetterB = letter.test(b[same] ?? "");
  if (isLetterA !== isLetterB) return isLetterB ? -1 : 1;
  const byCode = (a[same]?.codePointAt(0) ?? 0) - (b[same]?.codePointAt(0) ?? 0);
  return isLetterA ? byCode : compareNumbers(a, b, same) || byCode;
}

const letter = /\p{L}/u;
const digit = /\p{Nd}/u;

/**
 * Compares the digits from the first difference on; if a number started before it, the longer
 * number is greater.
 */
function compareNumbers(a: readonly string[], b: readonly string[], from: number): number {
  const start = a[from] === "0" || b[from] === "0" ? (startsNonZero(a, from) ? "1" : "") : "";
  const [digitsA, digitsB] = [digitsFrom(a, from), digitsFrom(b, from)];
  const byValue = Number(`${start}${digitsA.join("")}`) - Number(`${start}${digitsB.join("")}`);
  return byValue || digitsA.length - digitsB.length;
}

/** Whether the number before this position starts with a digit other than zero. */
function startsNonZero(text: readonly string[], from: number): boolean {
  for (let i = from - 1; i >= 0 && digit.test(text[i] ?? ""); i--) if (text[i] !== "0") return true;
  return false;
}

function digitsFrom(text: readonly string[], from: number): string[] {
  let end = from;
  while (end < text.length && digit.test(text[end] ?? "")) end++;
  return text.slice(from, end);
}
