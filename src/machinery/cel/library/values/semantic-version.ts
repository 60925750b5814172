import { goQuote } from "#/std/go/go-quote.ts";
import { isUint64 } from "../../value/uint.ts";

/** An invalid semantic version. */
export class VersionError extends Error {
  override readonly name = "VersionError";
}

/** A semantic version. Build metadata are ignored. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Numbers and words after the hyphen. */
  readonly prerelease: readonly (bigint | string)[];
  readonly text: string;
}

/**
 * Parses a version. With `normalize`, a leading v, leading zeros and missing parts are corrected
 * first. Throws VersionError.
 *
 * Upstream: vendor/github.com/blang/semver/v4,
 * staging/src/k8s.io/apiserver/pkg/cel/library/semverlib.go.
 */
export function parseVersion(text: string, normalize: boolean): Version {
  const normal = normalize ? normalizeVersion(text) : text;
  if (normal === "") throw new VersionError("Version string empty");
  const [majorText, minorText, rest] = splitThree(normal);
  if (majorText === undefined || minorText === undefined || rest === undefined) {
    throw new VersionError("No Major.Minor.Patch elements found");
  }
  const major = parseNumber(majorText, "major");
  const minor = parseNumber(minorText, "minor");
  const plus = rest.indexOf("+");
  const release = plus < 0 ? rest : rest.slice(0, plus);
  const hyphen = release.indexOf("-");
  const patch = parseNumber(hyphen < 0 ? release : release.slice(0, hyphen), "patch");
  const prerelease =
    hyphen < 0
      ? []
      : release
          .slice(hyphen + 1)
          .split(".")
          .map(parsePrerelease);
  if (plus >= 0) for (const part of rest.slice(plus + 1).split(".")) checkBuild(part);
  return { major, minor, patch, prerelease, text: normal };
}

/** As parseVersion() without normalization; undefined if the text is invalid. */
export function findVersion(text: string): Version | undefined {
  try {
    return parseVersion(text, false);
  } catch (error) {
    if (error instanceof VersionError) return undefined;
    throw error;
  }
}

/** At most three parts between dots. */
function splitThree(text: string): string[] {
  const [first = "", second, ...rest] = text.split(".");
  return [
    first,
    ...(second === undefined ? [] : [second]),
    ...(rest.length === 0 ? [] : [rest.join(".")]),
  ];
}

function parseNumber(text: string, name: "major" | "minor" | "patch"): bigint {
  if (!/^\d*$/.test(text)) {
    throw new VersionError(`Invalid character(s) found in ${name} number ${goQuote(text)}`);
  }
  if (hasLeadingZero(text)) {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    throw new VersionError(`${title} number must not contain leading zeroes ${goQuote(text)}`);
  }
  return parseUint(text);
}

/**
 * Limit of digits (count): numbers have no leading zeros here, so longer ones do not fit 64 bits.
 */
const maxDigits = 20;

const hasLeadingZero = (text: string): boolean => text.length > 1 && text.startsWith("0");

function parseUint(text: string): bigint {
  const refuse = (why: string) => {
    return new VersionError(`strconv.ParseUint: parsing ${goQuote(text)}: ${why}`);
  };
  if (text === "") throw refuse("invalid syntax");
  // Converting a number with very many digits is slow.
  const value = text.length > maxDigits ? undefined : BigInt(text);
  if (value === undefined || !isUint64(value)) throw refuse("value out of range");
  return value;
}

function parsePrerelease(text: string): bigint | string {
  if (text === "") throw new VersionError("Prerelease is empty");
  if (/^\d+$/.test(text)) {
    if (!hasLeadingZero(text)) return parseUint(text);
    const why = "Numeric PreRelease version must not contain leading zeroes";
    throw new VersionError(`${why} ${goQuote(text)}`);
  }
  if (/^[A-Za-z\d-]+$/.test(text)) return text;
  throw new VersionError(`Invalid character(s) found in prerelease ${goQuote(text)}`);
}

function checkBuild(text: string): void {
  if (text === "") throw new VersionError("Build meta data is empty");
  if (!/^[A-Za-z\d-]+$/.test(text)) {
    throw new VersionError(`Invalid character(s) found in build meta data ${goQuote(text)}`);
  }
}

function normalizeVersion(text: string): string {
  const parts = splitThree(text.replace(/^v/, "")).map((part) => {
    if (part.length <= 1) return part;
    const trimmed = part.replace(/^0+/, "");
    return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
  });
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? "")) {
    throw new VersionError("short version cannot contain PreRelease/Build meta data");
  }
  while (parts.length < 3) parts.push("0");
  return parts.join(".");
}

/** -1, 0 or 1. */
export function compareVersions(a: Version, b: Version): number {
  return (
    order(a.major, b.major) ||
    order(a.minor, b.minor) ||
    order(a.patch, b.patch) ||
    comparePrereleases(a.prerelease, b.prerelease)
  );
}

const order = <T extends bigint | string | number>(a: T, b: T): number =>
  a < b ? -1 : a > b ? 1 : 0;

function comparePrereleases(
  a: readonly (bigint | string)[],
  b: readonly (bigint | string)[],
): number {
  if (a.length === 0 || b.length === 0) return order(b.length, a.length);
  for (const [i, part] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    const difference = comparePart(part, other);
    if (difference !== 0) return difference;
  }
  return order(a.length, b.length);
}

/** Numbers sort before words. */
function comparePart(a: bigint | string, b: bigint | string): number {
  return typeof a === typeof b ? order(a, b) : typeof a === "bigint" ? -1 : 1;
}
