import { type LockEntry, type LockFile, packageIn } from "./lock-file.ts";

/** The platforms of k8ts: Linux with glibc on these processors. */
const processors = ["x64", "arm64"];

/**
 * Native code that k8ts never calls: the store writes bytes, and not what this add-on decodes faster. Its package is optional for
 * the one that names it.
 */
const unused = /^(@msgpackr-extract\/|msgpackr-extract$)/;

/** True if a package is of use to k8ts: it runs on a platform of k8ts, and is not known to be unused. */
export function isNeeded(name: string, { os, cpu, libc }: LockEntry): boolean {
  const admits = (allowed: LockEntry["os"], names: readonly string[]): boolean =>
    allowed === undefined || names.some((one) => [allowed].flat().includes(one));
  return (
    admits(os, ["linux"]) &&
    admits(cpu, processors) &&
    admits(libc, ["glibc"]) &&
    !unused.test(name)
  );
}

/**
 * Removes packages that k8ts does not need, with their names in other entries: npm can't verify them, as it records the checksum
 * of a package of another platform only where it has downloaded it.
 */
export function pruneLock(lock: LockFile): LockFile {
  const entries = Object.entries(lock.packages);
  const isKept = ([folder, entry]: [string, LockEntry]): boolean =>
    folder === "" || isNeeded(packageIn(folder), entry);
  const gone = new Set(
    entries.filter((entry) => !isKept(entry)).map(([folder]) => packageIn(folder)),
  );
  const packages = entries
    .filter(isKept)
    .map(([folder, entry]) => [folder, withoutPackages(entry, gone)] as const);
  return { ...lock, packages: Object.fromEntries(packages) };
}

function withoutPackages(entry: LockEntry, gone: ReadonlySet<string>): LockEntry {
  const { optionalDependencies, ...rest } = entry;
  if (!optionalDependencies) return entry;
  const left = Object.entries(optionalDependencies).filter(([name]) => !gone.has(name));
  if (left.length === 0) return rest;
  // In place, so that the order of the fields stays npm's.
  return { ...entry, optionalDependencies: Object.fromEntries(left) };
}
