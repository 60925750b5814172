/**
 * The number of steps that are shown after going some steps forward or back (negative); undefined is the present, in
 * which new steps appear as they happen.
 */
export function playTo(at: number | undefined, by: number, of: number): number | undefined {
  if (of === 0) return undefined;
  const next = (at ?? of) + by;
  return next > of ? undefined : Math.max(1, next);
}
