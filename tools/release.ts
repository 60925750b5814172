import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs, promisify } from "node:util";
import { packProgram } from "#/cluster/release/pack-program.ts";
import {
  installedMark,
  neededPackages,
  type ProgramFile,
  packageFiles,
  programFiles,
} from "#/cluster/release/program-files.ts";
import { parseLockFile } from "./lock/lock-file.ts";
import { fetchPackages } from "./release/fetch-packages.ts";
import { releaseLock, releaseManifest } from "./release/manifest.ts";

const help = `Usage: node tools/release.ts [--out FOLDER] [--root FOLDER] [--arch x64,arm64] [--set-version VERSION]

Builds a release into FOLDER (dist): a tarball for each processor, with Node.js and all packages in it; an npm package;
the list of the software in them; and SHA256SUMS. The same commit gives the same bytes.
`;

const run = promisify(execFile);
const processors = ["x64", "arm64"];

interface Release {
  readonly version: string;
  readonly out: string;
  readonly modifiedMs: number;
  /** The program without packages; its package.json is that of a release. */
  readonly program: readonly ProgramFile[];
}

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "dist" },
    root: { type: "string", default: join(import.meta.dirname, "..") },
    arch: { type: "string", default: processors.join(",") },
    "set-version": { type: "string" },
    help: { type: "boolean", default: false },
  },
});
async function main(root: string, out: string): Promise<void> {
  const git = (...args: string[]): Promise<string> =>
    run("git", ["-C", root, ...args]).then(({ stdout }) => stdout.trim());
  const text = await readFile(join(root, "package.json"), "utf8");
  const version = values["set-version"] ?? (JSON.parse(text) as { version: string }).version;
  // What is not committed has no version.
  const changed = await git("status", "--porcelain");
  if (changed !== "" && values["set-version"] === undefined) {
    throw new Error(`commit these first:\n${changed}`);
  }
  const tags = (await git("tag", "--points-at", "HEAD")).split("\n");
  const commit = tags.includes(`v${version}`) ? undefined : await git("rev-parse", "HEAD");
  const epoch = process.env["SOURCE_DATE_EPOCH"] || (await git("log", "-1", "--format=%ct"));
  const manifest = releaseManifest(text, commit, { version });
  await mkdir(out, { recursive: true });
  const release: Release = {
    version: commit === undefined ? version : `${version}+${commit.slice(0, 8)}`,
    out,
    modifiedMs: Number(epoch) * 1000,
    program: replaced(programFiles(root), new Map([["package.json", manifest]])),
  };
  const made: string[] = [];
  for (const arch of values.arch.split(",")) made.push(await makeTarball(root, release, arch));
  made.push(await makePackage(root, release));
  made.push(await copySbom(root, release));
  await writeSums(out, made);
}

/** Files with other contents. */
const replaced = (
  files: readonly ProgramFile[],
  contents: ReadonlyMap<string, string>,
): ProgramFile[] =>
  files.map((file) => {
    const content = contents.get(file.path);
    return content === undefined ? file : { ...file, source: Buffer.from(content) };
  });

/** The tarball of a processor: unpacked, it needs neither npm nor a network. */
async function makeTarball(root: string, release: Release, arch: string): Promise<string> {
  if (!processors.includes(arch)) throw new Error(`--arch ${arch}: x64 or arm64`);
  const { version, out, modifiedMs, program } = release;
  const packages = await mkdtemp(join(tmpdir(), "k8ts-release-"));
  try {
    const lock = parseLockFile(await readFile(join(root, "package-lock.json"), "utf8"));
    await fetchPackages(lock, neededPackages(root, arch), packages);
    await checkNode(root, packages, arch);
    const files = [...program, ...packageFiles(root, arch, packages), installedMark];
    const name = `k8ts-${version}-linux-${arch}`;
    const file = join(out, `${name}.tar.gz`);
    await writeStream(file, packProgram(files, { folder: name, modifiedMs }));
    return file;
  } finally {
    await rm(packages, { recursive: true });
  }
}

/** The Node.js of a tarball is the official one, as the launcher will require. */
async function checkNode(root: string, packages: string, arch: string): Promise<void> {
  const node = createReadStream(join(packages, `node_modules/node-linux-${arch}/bin/node`));
  const sum = await sha256(node);
  const sums = await readFile(join(root, "bin/node.sha256"), "utf8");
  const line = sums.split("\n").find((one) => one.endsWith(`-linux-${arch}/bin/node`));
  if (!line?.startsWith(`${sum} `)) throw new Error(`Node.js for ${arch} is not the official one`);
}

/** The npm package: npm fetches the packages that it needs, with the checksums of npm-shrinkwrap.json. */
async function makePackage(root: string, release: Release): Promise<string> {
  const { version, out, modifiedMs, program } = release;
  const lock = releaseLock(await readFile(join(root, "package-lock.json"), "utf8"));
  const manifest = program.find(({ path }) => path === "package.json")?.source ?? "";
  const text = releaseManifest(String(manifest), undefined, { bin: { k8ts: "bin/npm.sh" } });
  const files = replaced(program, new Map([["package.json", text]])).map((file) =>
    file.path === "package-lock.json"
      ? { ...file, path: "npm-shrinkwrap.json", source: Buffer.from(lock) }
      : file,
  );
  const file = join(out, `k8ts-${version}.tgz`);
  await writeStream(file, packProgram(files, { folder: "package", modifiedMs }));
  return file;
}

async function copySbom(root: string, { version, out }: Release): Promise<string> {
  const file = join(out, `k8ts-${version}.cdx.json`);
  await writeFile(file, await readFile(join(root, "sbom.cdx.json")));
  return file;
}

const writeStream = (file: string, content: AsyncIterable<Uint8Array>): Promise<void> =>
  pipeline(Readable.from(content, { objectMode: false }), createWriteStream(file));

async function writeSums(out: string, files: readonly string[]): Promise<void> {
  const lines: string[] = [];
  for (const file of files) {
    lines.push(`${await sha256(createReadStream(file))}  ${basename(file)}\n`);
  }
  await writeFile(join(out, "SHA256SUMS"), lines.join(""));
  process.stdout.write(lines.join(""));
}

async function sha256(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of content) hash.update(chunk);
  return hash.digest("hex");
}

if (values.help) process.stdout.write(help);
else await main(resolve(values.root), resolve(values.out));
