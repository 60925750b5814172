import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** A file of the program: its path below the program's folder, and where its content is. */
export interface ProgramFile {
  readonly path: string;
  /** A file, or its content. */
  readonly source: string | Uint8Array;
  readonly isExecutable: boolean;
}

/** The files and folders of a checkout that a release consists of. */
const ofProgram = [
  ".npmrc",
  "CHANGELOG.md",
  "LICENSE",
  "NOTICE",
  "README.md",
  "SECURITY.md",
  "bin",
  "docs",
  "k8ts",
  "package-lock.json",
  "package.json",
  "sbom.cdx.json",
  "src",
];

/** What only tests and developers need. */
const ofTests =
  /\.(test|contract)\.ts$|^src\/testing\/|^src\/.*\/(recorded|testdata)\/|^docs\/(captures|images)\//;

/** Parts of packages that no program uses: headers and manuals of Node.js, sources of native code, maps. */
const unusedParts =
  /^node_modules\/(node-linux-[^/]+\/(?!bin\/node$|LICENSE$|package\.json$)|lmdb\/(dependencies|src|deps)\/)|\.map$/;

/** The program's own files in a checkout or an installed release, without packages; by path. */
export function programFiles(root: string): ProgramFile[] {
  return ofProgram
    .flatMap((name) => filesBelow(root, name))
    .filter(({ path }) => !ofTests.test(path))
    .sort(byPath);
}

/** An entry of package-lock.json, as far as it is needed. */
interface LockedPackage {
  readonly dev?: boolean;
  readonly cpu?: string | readonly string[];
}

/** The folders of the packages that a program on a processor needs, as package-lock.json names them. */
export function neededPackages(root: string, arch: string): string[] {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  return Object.entries(lock.packages)
    .filter(([folder, { dev, cpu }]) => {
      const fits = cpu === undefined || [cpu].flat().includes(arch);
      return folder !== "" && dev !== true && fits;
    })
    .map(([folder]) => folder);
}

/** The files of the packages below a folder that a program on a processor needs; by path. */
export function packageFiles(root: string, arch: string, at = root): ProgramFile[] {
  return neededPackages(root, arch)
    .flatMap((folder) => filesBelow(at, folder))
    .filter(({ path }) => !unusedParts.test(path))
    .sort(byPath);
}

/** The mark by which the launcher knows that all packages are installed. */
export const installedMark: ProgramFile = {
  path: "node_modules/.k8ts-installed",
  source: Buffer.alloc(0),
  isExecutable: false,
};

const byPath = (a: ProgramFile, b: ProgramFile): number => (a.path < b.path ? -1 : 1);

/** A file, or all files of a folder; links are not followed, and none is needed. */
function filesBelow(root: string, name: string): ProgramFile[] {
  const found = statSync(join(root, name), { throwIfNoEntry: false });
  if (!found) return [];
  if (found.isFile()) return [programFile(root, name, found.mode)];
  const entries = readdirSync(join(root, name), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return programFile(root, path.slice(root.length + 1), statSync(path).mode);
    });
}

const programFile = (root: string, path: string, mode: number): ProgramFile => ({
  path,
  source: join(root, path),
  isExecutable: (mode & 0o100) !== 0,
});
