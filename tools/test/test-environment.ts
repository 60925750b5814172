import { join } from "node:path";

/** Debian's folders of programs. Programs that a machine's owner has added elsewhere are not used by tests. */
const debianFolders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** Variables that make single tests run longer, or again with a seed; set by hand, and passed on. */
const knobs = [
  "FUZZ_SECONDS",
  "K8TS_CRASH_ROUNDS",
  "K8TS_MODEL_SEED",
  "K8TS_MODEL_SEEDS",
  "K8TS_WATCHES",
  "KUBECTL_SUITE",
];

/** Folders of one test file, below one of its own. */
export const homeFolder = (folder: string): string => join(folder, "home");
export const temporaryFolder = (folder: string): string => join(folder, "tmp");

export interface EnvironmentOptions {
  /** Folder of the test file. */
  readonly folder: string;
  /** Folder of the project's Node. */
  readonly nodeFolder: string;
  /** Folder of Node's compile cache. */
  readonly compileCache: string;
}

/** The whole environment of a test file: the same on every machine but for its folder's name. */
export function testEnvironment(
  options: EnvironmentOptions,
  own: NodeJS.ProcessEnv,
): Record<string, string> {
  const environment: Record<string, string> = {
    PATH: [options.nodeFolder, ...debianFolders].join(":"),
    HOME: homeFolder(options.folder),
    TMPDIR: temporaryFolder(options.folder),
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    NODE_COMPILE_CACHE: options.compileCache,
  };
  for (const name of knobs) {
    const value = own[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
