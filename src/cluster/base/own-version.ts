import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** Number of digits of a commit that are printed. */
const shownDigits = 8;

/**
 * The version of this k8ts, with the commit if it is a checkout, or a release of a commit without a tag: 0.1.0+f9bc137d. The
 * launcher finds the same.
 */
export function ownVersion(folder = root): string {
  const { version, gitHead } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    version: string;
    gitHead?: string;
  };
  const commit = gitHead ?? ownCommit(folder);
  return commit === undefined ? version : `${version}+${commit.slice(0, shownDigits)}`;
}

/** The commit that a folder has checked out, undefined if it is no checkout; from git's own files: git need not be installed, nor trust the folder's owner. */
export function ownCommit(folder: string): string | undefined {
  const entry = join(folder, ".git");
  const linked = /^gitdir: (.+)$/m.exec(readIfThere(entry))?.[1];
  const git = linked === undefined ? entry : resolve(dirname(entry), linked);
  const head = readIfThere(join(git, "HEAD")).trim();
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  if (ref === undefined) return isHash(head);
  const shared = resolve(git, readIfThere(join(git, "commondir")).trim());
  const packed = readIfThere(join(shared, "packed-refs"))
    .split("\n")
    .find((line) => line.endsWith(` ${ref}`));
  return isHash(readIfThere(join(shared, ref)).trim()) ?? isHash(packed?.split(" ")[0] ?? "");
}

const isHash = (text: string): string | undefined =>
  /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // It is missing, or a folder.
  }
}
