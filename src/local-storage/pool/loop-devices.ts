import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunProgram } from "#/std/process/run-program.ts";

interface LoopDevice {
  /** "/dev/loop3". */
  readonly path: string;
  /** The path of its file; a deleted file has a suffix. */
  readonly file: string;
}

const deleted = " (deleted)";

/** The loop devices of this machine, and of all its mount namespaces. */
export class LoopDevices {
  readonly #run: RunProgram;
  readonly #sys: string;

  constructor(run: RunProgram, sys = "/sys/block") {
    this.#run = run;
    this.#sys = sys;
  }

  async list(): Promise<LoopDevice[]> {
    const names = (await readdir(this.#sys)).filter((name) => /^loop\d+$/.test(name));
    const found = names.map(async (name) => {
      const text = await readFile(join(this.#sys, name, "loop/backing_file"), "utf8").catch(free);
      return text === undefined ? [] : [{ path: `/dev/${name}`, file: text.trimEnd() }];
    });
    return (await Promise.all(found)).flat();
  }

  /** The devices of a file. */
  async of(file: string): Promise<LoopDevice[]> {
    return (await this.list()).filter((one) => one.file === file);
  }

  /** Attaches a file, unless it is attached; returns the path of the device. */
  async attach(file: string): Promise<string> {
    const [found] = await this.of(file);
    if (found) return found.path;
    const args = ["--find", "--show", "--nooverlap", file];
    return (await this.#run("losetup", args)).trim();
  }

  /** Makes the device as large as its file. */
  async resize(device: string): Promise<void> {
    await this.#run("losetup", ["--set-capacity", device]);
  }

  /** Detaches the devices of files that are chosen. A device that is in use is detached when it no longer is. */
  async detach(chosen: (file: string) => boolean): Promise<void> {
    for (const { path, file } of await this.list()) {
      const name = file.endsWith(deleted) ? file.slice(0, -deleted.length) : file;
      if (chosen(name)) await this.#run("losetup", ["--detach", path]).catch(gone);
    }
  }
}

/** A device that is not in use has no such file. */
const free = (): undefined => undefined;

/** Between listing and detaching, the kernel may have detached it. */
function gone(error: Error): void {
  if (!/No such device/.test(error.message)) throw error;
}
