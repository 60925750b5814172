/** A version, or what of it counts for its order. */
export interface SemanticVersion {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly prerelease: readonly string[];
}

const number = "(0|[1-9][0-9]*)";
const identifiers = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const pattern = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${identifiers}))?(?:\\+${identifiers})?$`,
);

/** Reads a version such as 1.37.0-alpha.1; undefined if it is none. Upstream: blang/semver. */
export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, major = "", minor = "", patch = "", prerelease] = match;
  const parts = prerelease?.split(".") ?? [];
  if (parts.some((part) => /^0[0-9]+$/.test(part))) return undefined;
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], prerelease: parts };
}

/** Negative, zero or positive, as in Array.sort. */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const index of [0, 1, 2] as const) {
    const difference = a.numbers[index] - b.numbers[index];
    if (difference !== 0n) return difference < 0n ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return b.prerelease.length - a.prerelease.length;
  }
  return comparePrereleases(a.prerelease, b.prerelease);
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (part === other) continue;
    const numeric = /^[0-9]+$/;
    const [isNumber, otherIsNumber] = [numeric.test(part), numeric.test(other)];
    if (isNumber && otherIsNumber) return BigInt(part) < BigInt(other) ? -1 : 1;
    if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
    return part < other ? -1 : 1;
  }
  return a.length - b.length;
}
