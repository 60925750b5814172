import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "#/std/process/run-program.ts";
import { CommandFailure } from "../base/command-failure.ts";

/** Below the folder of a program that came in a bundle: Debian packages, and images for the first start. */
export const bundledPackagesFolder = "packages";
export const bundledImagesFolder = "images";
/** The file that says for which release of which distribution the packages are. */
export const bundleFile = "bundle.json";

/** What a bundle is for. */
interface BundleTarget {
  /** ID and VERSION_CODENAME of /etc/os-release: debian bookworm. */
  readonly distribution: string;
  readonly arch: string;
}

/** The distribution of a machine, by the text of its /etc/os-release. */
export function distributionOf(osRelease: string): string {
  const of = (name: string): string =>
    new RegExp(`^${name}="?([^"\\n]*)"?$`, "m").exec(osRelease)?.[1] ?? "";
  return `${of("ID")} ${of("VERSION_CODENAME") || of("VERSION_ID")}`.trim();
}

/** The files of the Debian packages that came with a program; undefined if none did. */
export function bundledPackages(program: string): string[] | undefined {
  const folder = join(program, bundledPackagesFolder);
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder).filter((name) => name.endsWith(".deb"));
  return files.map((name) => join(folder, name));
}

/**
 * The packages of a bundle that are to be installed: those that the machine lacks, or has in an older version. Throws if the
 * bundle is for another release: its packages would not fit.
 */
export async function bundledForInstall(
  program: string,
  files: readonly string[],
): Promise<string[]> {
  const target = JSON.parse(readFileSync(join(program, bundleFile), "utf8")) as BundleTarget;
  const here = distributionOf(readFileSync("/etc/os-release", "utf8"));
  if (target.distribution !== here) {
    throw new CommandFailure(
      `the packages of this bundle are for ${target.distribution}, and this is ${here}: make one on such a machine`,
    );
  }
  const wanted: string[] = [];
  for (const file of files) {
    const text = await runProgram("dpkg-deb", ["--field", file, "Package", "Version"]);
    const [, name = ""] = /^Package: (.+)$/m.exec(text) ?? [];
    const [, version = ""] = /^Version: (.+)$/m.exec(text) ?? [];
    if (!(await isInstalled(name, version))) wanted.push(file);
  }
  return wanted;
}

/** True if a package is installed in this version or a newer one. */
async function isInstalled(name: string, version: string): Promise<boolean> {
  const shown = await runProgram("dpkg", ["--status", name]).catch(() => "");
  const [, present] = /^Version: (.+)$/m.exec(shown) ?? [];
  if (present === undefined || !/^Status: .* installed$/m.test(shown)) return false;
  return await runProgram("dpkg", ["--compare-versions", present, "ge", version]).then(
    () => true,
    () => false,
  );
}
