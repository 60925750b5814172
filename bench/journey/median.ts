/** The middle one of values. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** How much more one value is than another, in percent. */
export const morePercent = (on: number, off: number): string =>
  `${((on / off - 1) * 100).toFixed(1)} %`;
