import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Limit of the time (ms) in which the launcher installs the packages of another version. */
const installMs = 600_000;

/** A version before the present one. */
export interface Release {
  readonly commit: string;
  readonly version: string;
}

/**
 * The last release before the present version: of the newest tag vVERSION that is not the present one; without such a tag, as in
 * a clone without tags, the last commit whose package.json has another version. Undefined without a history.
 */
export async function findLastRelease(root: string): Promise<Release | undefined> {
  const git = async (...args: string[]): Promise<string> =>
    (await run("git", ["-C", root, ...args])).stdout.trim();
  const versionAt = async (commit: string): Promise<string> =>
    (JSON.parse(await git("show", `${commit}:package.json`)) as { version: string }).version;
  const present = await versionAt("HEAD").catch(() => undefined);
  if (present === undefined) return undefined;
  const sort = "--sort=-version:refname";
  for (const tag of (await git("tag", "--merged", "HEAD", "--list", "v*", sort)).split("\n")) {
    if (tag === "" || tag === `v${present}`) continue;
    return { commit: await git("rev-parse", `${tag}^{commit}`), version: tag.slice(1) };
  }
  for (const commit of (await git("log", "--format=%H", "--", "package.json")).split("\n")) {
    const before = await git("rev-parse", "--verify", "--quiet", `${commit}^`).catch(() => "");
    if (before === "") return undefined;
    const version: string = await versionAt(before).catch(() => present);
    if (version !== present) return { commit: before, version };
  }
  return undefined;
}

/** Makes a folder with a release as a checkout has it, with its packages: those of the present one, if they are the same. */
export async function checkOut(root: string, { commit }: Release, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const command = 'git -C "$1" archive "$2" | tar -x -C "$3"';
  await run("sh", ["-c", command, "sh", root, commit, folder]);
  if (packagesOf(root) === packagesOf(folder)) {
    const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
    await cp(join(root, "node_modules"), join(folder, "node_modules"), options);
  }
  await run(join(folder, "k8ts"), ["version"], { timeout: installMs });
}

/** What package-lock.json says of all packages but the program itself. */
function packagesOf(root: string): string {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, object>>;
  };
  return JSON.stringify(Object.entries(packages).filter(([path]) => path !== ""));
}
