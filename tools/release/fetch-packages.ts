import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createGunzip } from "node:zlib";
import { readTar } from "#/std/archive/tar-reader.ts";
import { type LockFile, packageIn } from "../lock/lock-file.ts";

/** Limit of what npm prints about the packages that it has fetched (bytes). */
const maxOutputBytes = 16 << 20;

/**
 * Fetches packages of the lock file through npm, also those of another processor, checks each against its checksum there, and
 * unpacks them below a folder. Nothing of this machine's own node_modules gets into a release.
 */
export async function fetchPackages(
  lock: LockFile,
  folders: readonly string[],
  target: string,
): Promise<void> {
  const archives = join(target, ".archives");
  await mkdir(archives, { recursive: true });
  const specs = folders.map((folder) => `${packageIn(folder)}@${lock.packages[folder]?.version}`);
  const options = ["--json", "--ignore-scripts", "--loglevel=error", "--pack-destination=."];
  const { stdout } = await promisify(execFile)("npm", ["pack", ...options, ...specs], {
    cwd: archives,
    maxBuffer: maxOutputBytes,
  });
  const named = (JSON.parse(stdout) as PackedPackage[]).map(({ name, version, filename }) => {
    return [`${name}@${version}`, filename] as const;
  });
  const files = new Map<string, string>(named);
  for (const [index, folder] of folders.entries()) {
    const spec = specs[index] ?? "";
    const file = join(archives, files.get(spec) ?? fileName(spec));
    await checkIntegrity(file, spec, lock.packages[folder]?.integrity ?? "");
    await unpack(file, join(target, folder));
  }
  await rm(archives, { recursive: true });
}

interface PackedPackage {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
}

/** The name that npm gives to a package's archive. */
const fileName = (spec: string): string =>
  `${spec
    .replace(/^@/, "")
    .replace("/", "-")
    .replace(/@([^@]+)$/, "-$1")}.tgz`;

async function checkIntegrity(file: string, spec: string, integrity: string): Promise<void> {
  const sum = createHash("sha512")
    .update(await readFile(file))
    .digest("base64");
  if (integrity !== `sha512-${sum}`) {
    throw new Error(`the registry's ${spec} is not the one of package-lock.json`);
  }
}

/** Unpacks a package: its files are below one folder, of any name. */
async function unpack(file: string, target: string): Promise<void> {
  const chunks = createReadStream(file).pipe(createGunzip());
  for await (const { kind, name, mode, content } of readTar(chunks)) {
    const path = name.slice(name.indexOf("/") + 1);
    if (kind !== "file") continue;
    if (path.split("/").includes("..")) throw new Error(`${file} has a file ${name}`);
    const place = join(target, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, content);
    await chmod(place, (mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
