import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { homeFolder, temporaryFolder } from "./test-environment.ts";

/** Short, as the path of a socket below it has at most 107 bytes; the same on every machine. */
const parent = "/tmp";

/** The folder of one run of the tests, with one below it for each file that runs. */
export class RunFolder implements Disposable {
  readonly path: string;
  #count = 0;

  /** Creates one, and removes those of runs that were killed. */
  static create(): RunFolder {
    for (const name of readdirSync(parent)) {
      const pid = /^k8ts-test-(\d+)-\w+$/.exec(name)?.[1];
      if (pid !== undefined && !existsSync(`/proc/${pid}`)) removeFolder(join(parent, name));
    }
    const path = mkdtempSync(join(parent, `k8ts-test-${process.pid}-`));
    // Some tests run programs as another user.
    chmodSync(path, 0o755);
    return new RunFolder(path);
  }

  private constructor(path: string) {
    this.path = path;
  }

  /** Creates the folder of a file, with a home and a folder for temporary files. */
  createFileFolder(): string {
    const folder = join(this.path, String(++this.#count));
    mkdirSync(homeFolder(folder), { recursive: true });
    mkdirSync(temporaryFolder(folder));
    return folder;
  }

  [Symbol.dispose](): void {
    removeFolder(this.path);
  }
}

/** Removes a folder, and mounts there that a killed test has left. */
export function removeFolder(folder: string): void {
  const mounts = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((path) => path.startsWith(`${folder}/`));
  for (const path of mounts.reverse()) execFileSync("umount", ["--lazy", path]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
