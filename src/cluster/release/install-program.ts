import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { chmod, copyFile, link, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { createGunzip } from "node:zlib";
import { readTar } from "#/std/archive/tar-reader.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { ownCommit, ownVersion } from "../base/own-version.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { ensureFolder, traverseOnly, writeWhole } from "../base/write-file.ts";
import { installedMark, type ProgramFile, packageFiles, programFiles } from "./program-files.ts";
import { versionsFolder } from "./versions.ts";

/** Limit of an unpacked program (bytes): a release has 200 MB. */
const maxProgramBytes = 2 ** 30;
const digestFile = ".k8ts-digest";

/** What a program is, of any version. */
export interface InstalledProgram {
  /** Its folder. */
  readonly folder: string;
  /** As `k8ts version` shows it. */
  readonly version: string;
  /** The version of Kubernetes that it is. */
  readonly kubernetesVersion: string;
}

/** Reads what a folder has. Throws if it is no program of k8ts that can run here. */
export function programIn(folder: string): InstalledProgram {
  const file = join(folder, "src/api/base/kubernetes-version.ts");
  if (!existsSync(join(folder, "k8ts")) || !existsSync(file)) {
    throw new CommandFailure(`${folder} has no k8ts`);
  }
  const [, kubernetesVersion] =
    /kubernetesVersion[^"]*"([^"]+)"/.exec(readFileSync(file, "utf8")) ?? [];
  if (!kubernetesVersion) throw new CommandFailure(`${folder} has a k8ts of unknown version`);
  const node = join(folder, `node_modules/node-linux-${process.arch}/bin/node`);
  if (!existsSync(node)) {
    throw new CommandFailure(
      `${folder} has no packages for ${process.arch}: it needs a release for this processor, or run ${join(folder, "k8ts")} once`,
    );
  }
  return { folder, version: ownVersion(folder), kubernetesVersion };
}

/** Installs a program beside those that a cluster has: from a tarball of a release, or a folder with k8ts. */
export async function installProgram(
  paths: ClusterPaths,
  source: string,
): Promise<InstalledProgram> {
  const from = resolve(source);
  const found = statSync(from, { throwIfNoEntry: false });
  if (!found) throw new CommandFailure(`there is no ${source}`);
  const versions = versionsFolder(paths);
  const isThere = dirname(from) === versions && !basename(from).startsWith(".");
  if (found.isDirectory() && isThere) return programIn(from);
  const fresh = join(versions, ".new");
  await rm(fresh, { recursive: true, force: true });
  await ensureFolder(paths.folder, traverseOnly);
  await ensureFolder(versions, 0o755);
  await mkdir(fresh, { mode: 0o755 });
  try {
    if (found.isDirectory()) await copyProgram(from, fresh);
    else {
      await checkSum(from);
      await unpackProgram(createReadStream(from), fresh);
    }
    return await settle(versions, fresh);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

/** Gives a new program its name. One that is there already stays; other files under the same version get a name of their own. */
async function settle(versions: string, fresh: string): Promise<InstalledProgram> {
  const { version } = programIn(fresh);
  const digest = await digestOf(fresh);
  await writeWhole(join(fresh, digestFile), digest, 0o644);
  for (const name of [version, `${version}-${digest.slice(0, 8)}`]) {
    const place = join(versions, name);
    if (!existsSync(place)) {
      // What a link will name must be there after a crash of the machine.
      await runProgram("sync", ["--file-system", fresh]).catch(() => runProgram("sync", []));
      await rename(fresh, place);
      return programIn(place);
    }
    if (readDigest(place) !== digest) continue;
    await rm(fresh, { recursive: true });
    return programIn(place);
  }
  throw new Error(`${versions} has another ${version} already`);
}

/** The digest of an installed program's files. */
export function readDigest(folder: string): string | undefined {
  const file = join(folder, digestFile);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

const allFiles = (root: string): ProgramFile[] => [
  ...programFiles(root),
  ...packageFiles(root, process.arch),
];

async function digestOf(root: string): Promise<string> {
  const whole = createHash("sha256");
  for (const { path, source, isExecutable } of allFiles(root)) {
    const hash = createHash("sha256");
    if (typeof source !== "string") hash.update(source);
    else for await (const chunk of createReadStream(source)) hash.update(chunk);
    whole.update(`${path} ${isExecutable} ${hash.digest("hex")}\n`);
  }
  return whole.digest("hex");
}

/** Copies a program without what only developers need. It does not change when its checkout does. */
async function copyProgram(from: string, target: string): Promise<void> {
  programIn(from);
  const commit = ownCommit(from);
  for (const { path, source, isExecutable } of [...allFiles(from), installedMark]) {
    const place = join(target, path);
    await mkdir(dirname(place), { recursive: true, mode: 0o755 });
    if (typeof source !== "string") await writeFile(place, source);
    else if (path === "package.json" && commit !== undefined)
      await copyManifest(from, place, commit);
    else if (!(await isLinked(path, source, place))) {
      await copyFile(source, place);
      await chmod(place, isExecutable ? 0o755 : 0o644);
    }
  }
}

/** The copy of a checkout names its commit, as a release does: it is the version that the checkout shows. */
async function copyManifest(from: string, place: string, commit: string): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as object;
  const text = `${JSON.stringify({ ...manifest, gitHead: commit }, undefined, 2)}\n`;
  await writeFile(place, text, { mode: 0o644 });
}

/** Packages don't change where they are: a second name costs no space, if only root may write to the file. */
async function isLinked(path: string, source: string, place: string): Promise<boolean> {
  const { uid, mode } = statSync(source);
  if (!path.startsWith("node_modules/") || uid !== 0 || (mode & 0o022) !== 0) return false;
  return await link(source, place).then(
    () => true,
    () => false,
  );
}

/** Compares a tarball with the file SHA256SUMS beside it, if there is one that names it. */
async function checkSum(tarball: string): Promise<void> {
  const file = join(dirname(tarball), "SHA256SUMS");
  if (!existsSync(file)) return;
  const lines = readFileSync(file, "utf8").split("\n");
  const line = lines.find((one) => one.split(/ +\*?/)[1] === basename(tarball));
  if (line === undefined) return;
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(tarball)) hash.update(chunk);
  const sum = hash.digest("hex");
  if (!line.startsWith(`${sum} `)) {
    throw new CommandFailure(
      `${tarball} is not the file that ${file} names: its SHA-256 is ${sum}`,
    );
  }
}

/** Unpacks a tarball, whose files are below one folder. Only files and folders below the target are made. */
export async function unpackProgram(
  packed: NodeJS.ReadableStream,
  target: string,
  isNested = true,
): Promise<void> {
  const text = packed.pipe(createGunzip());
  packed.once("error", (error) => text.destroy(error));
  let left = maxProgramBytes;
  try {
    for await (const { kind, name, mode, sizeBytes, content } of readTar(text)) {
      const path = isNested ? name.slice(name.indexOf("/") + 1) : name;
      if (kind === "folder" || path === "") continue;
      left -= sizeBytes;
      if (kind !== "file" || path.split("/").includes("..") || path.startsWith("/") || left < 0) {
        throw new CommandFailure(`this is no release of k8ts: it has ${name}`);
      }
      const place = join(target, path);
      await mkdir(dirname(place), { recursive: true, mode: 0o755 });
      await writeFile(place, content);
      await chmod(place, (mode & 0o100) === 0 ? 0o644 : 0o755);
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`this is no whole release of k8ts: ${(error as Error).message}`);
  }
}

/** Number of programs that stay besides those in use: for a look back. */
const keptPrograms = 1;

/** Removes programs that are neither in use nor new, the oldest first; and the rest of an interrupted installation. */
export async function removeOldPrograms(
  paths: ClusterPaths,
  inUse: readonly string[],
): Promise<readonly string[]> {
  const versions = versionsFolder(paths);
  const names = await readdir(versions).catch(() => []);
  const rest = names
    .map((name) => join(versions, name))
    .filter((folder) => !inUse.includes(folder))
    .sort((a, b) => statSync(b).ctimeMs - statSync(a).ctimeMs);
  const isNew = (folder: string): boolean => !basename(folder).startsWith(".");
  const gone = [...rest.filter((one) => !isNew(one)), ...rest.filter(isNew).slice(keptPrograms)];
  for (const folder of gone) await rm(folder, { recursive: true, force: true });
  return gone;
}
