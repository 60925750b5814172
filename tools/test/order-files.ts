import { randomInt, seededRandom } from "../../src/std/base/random.ts";

/** The files in the order of their start: the long ones first, or determined by a seed. */
export function orderFiles(files: readonly string[], seed?: number): string[] {
  const sorted = [...files].sort();
  if (seed === undefined) return [...sorted.filter(isLong), ...sorted.filter((f) => !isLong(f))];
  const random = seededRandom(seed);
  for (let last = sorted.length - 1; last > 0; last--) {
    const other = randomInt(random, last + 1);
    [sorted[last], sorted[other]] = [sorted[other] ?? "", sorted[last] ?? ""];
  }
  return sorted;
}

/** Whole clusters and comparisons with recordings: the run is shortest if none of them starts last. */
const isLong = (file: string): boolean =>
  file.startsWith("test/") || /\.(integration|faults)\.test\.ts$/.test(file);
