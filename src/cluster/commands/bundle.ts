import { createWriteStream, existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { FlagError, type FlagValues } from "#/std/flags/flags.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { ownCommand } from "../base/own-command.ts";
import { ownVersion } from "../base/own-version.ts";
import { Progress } from "../base/progress.ts";
import { command } from "../command-line/command.ts";
import {
  bundledImagesFolder,
  bundledPackagesFolder,
  bundleFile,
  distributionOf,
} from "../machine/bundled-packages.ts";
import { findProgram } from "../machine/find-program.ts";
import { nodePackages } from "../machine/packages.ts";
import { packProgram } from "../release/pack-program.ts";
import {
  installedMark,
  type ProgramFile,
  packageFiles,
  programFiles,
} from "../release/program-files.ts";
import { ownRoot } from "../release/versions.ts";
import { containerdNeeds } from "../runtimes/containerd.ts";

const bundleFlags = {
  image: {
    type: "stringArray",
    help: "A `file` with images, which the first start loads; can be given several times.",
  },
  package: {
    type: "stringArray",
    help: "Another Debian `package`, such as etcd-server; can be given several times.",
  },
} as const;

/** Limit of the time (ms) that apt-get takes to download packages. */
const downloadMs = 30 * 60_000;
/** What Node.js needs besides a minimal Debian. */
const ofNode = ["libatomic1"];

/** `k8ts bundle FILE`: everything for machines that reach no registry. */
export const main = command({
  name: "bundle",
  description: `Makes one file for machines that reach no package registry: this k8ts with Node.js, the Debian packages
that a node needs with all that they need, and images if you name some. It fits machines of the same release and
processor as this one. There, unpack it and run ./k8ts up; the packages are installed from it.`,
  arguments: ["FILE"],
  examples: [
    ["Make a bundle", "bundle k8ts-bundle.tar.gz"],
    ["With an image", "bundle k8ts-bundle.tar.gz --image web.tar"],
    ["For several servers", "bundle k8ts-bundle.tar.gz --package etcd-server"],
  ],
  flags: bundleFlags,
  async run({ values, args: [file = ""] }) {
    if (file === "") throw new FlagError("FILE is missing");
    if (!findProgram("apt-get")) {
      throw new CommandFailure("a bundle has Debian packages, and this machine has no apt-get");
    }
    for (const image of values.image) {
      if (!existsSync(image)) throw new CommandFailure(`there is no ${image}`);
    }
    await writeBundle(resolve(file), values);
    return 0;
  },
});

async function writeBundle(file: string, flags: FlagValues<typeof bundleFlags>): Promise<void> {
  const progress = new Progress();
  const folder = await mkdtemp(join(tmpdir(), "k8ts-bundle-"));
  const needed = containerdNeeds.flatMap(({ debianPackage }) => debianPackage ?? []);
  const names = [...new Set([...nodePackages, ...needed, ...ofNode, ...flags.package])].sort();
  try {
    const debs = await progress.step(`downloading ${names.join(", ")}, and what they need`, () =>
      downloadPackages(folder, names),
    );
    const target = {
      distribution: distributionOf(readFileSync("/etc/os-release", "utf8")),
      arch: process.arch,
    };
    const files: ProgramFile[] = [
      ...programFiles(ownRoot),
      ...packageFiles(ownRoot, process.arch),
      installedMark,
      plainFile(bundleFile, Buffer.from(`${JSON.stringify(target)}\n`)),
      ...debs.map((deb) => plainFile(`${bundledPackagesFolder}/${basename(deb)}`, deb)),
      ...flags.image.map((image) => plainFile(`${bundledImagesFolder}/${basename(image)}`, image)),
    ];
    const name = `k8ts-${ownVersion()}`;
    await progress.step(`writing ${file}`, async () => {
      const packed = packProgram(files, { folder: name, modifiedMs: 0 });
      // The folder may be one in which others write.
      await rm(`${file}.new`, { force: true });
      await pipeline(Readable.from(packed), createWriteStream(`${file}.new`, { flags: "wx" }));
      await rename(`${file}.new`, file);
    });
    progress.print(`\nOn a machine with ${target.distribution}:`);
    progress.print(`  tar -xzf ${basename(file)} && ${name}/k8ts up`);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await rm(`${file}.new`, { force: true });
  }
}

const plainFile = (path: string, source: string | Uint8Array): ProgramFile => ({
  path,
  source,
  isExecutable: false,
});

/** Downloads packages as for a machine that has none yet: what it has is left out there. */
async function downloadPackages(folder: string, names: readonly string[]): Promise<string[]> {
  const archives = join(folder, "archives");
  await mkdir(join(archives, "partial"), { recursive: true });
  const options = [
    "Dir::State::status=/dev/null",
    `Dir::Cache::archives=${archives}`,
    "APT::Sandbox::User=root",
    "APT::Install-Recommends=false",
    "Debug::NoLocking=true",
  ].map((option) => `--option=${option}`);
  const limits = { timeoutMs: downloadMs };
  const install = ["install", "--download-only", "--yes", ...options, ...names];
  await runProgram("apt-get", install, "", limits).catch(async (error: Error) => {
    await runProgram("apt-get", ["update"], "", limits).catch(() => {
      throw new CommandFailure(
        `the packages can't be downloaded: ${error.message.trim().split("\n").at(-1)}; to see more: ${ownCommand("doctor")}`,
      );
    });
    await runProgram("apt-get", install, "", limits);
  });
  const found = readdirSync(archives).filter((name) => name.endsWith(".deb"));
  return found.sort().map((name) => join(archives, name));
}
