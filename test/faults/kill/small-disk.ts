import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** A file system of limited size, in a file. It is filled by a file of its own. */
export class SmallDisk implements Disposable {
  readonly path: string;
  readonly #image: string;

  constructor(folder: string, sizeMiB: number) {
    this.path = join(folder, "disk");
    this.#image = join(folder, "disk.img");
    mkdirSync(this.path);
    closeSync(openSync(this.#image, "w"));
    truncateSync(this.#image, sizeMiB << 20);
    // No blocks are reserved for root.
    execFileSync("mkfs.ext4", ["-q", "-F", "-m", "0", this.#image]);
    execFileSync("mount", ["-o", "loop", this.#image, this.path]);
  }

  /** Takes all space that is left. */
  fill(): void {
    const file = openSync(this.#ballast, "a");
    try {
      const { bavail, bsize } = statfsSync(this.path);
      if (bavail > 256) this.#allocate(BigInt(bavail - 256) * BigInt(bsize));
      for (const size of [64 << 10, 4 << 10, 1 << 10]) {
        const piece = Buffer.alloc(size);
        for (;;) if (!tryWrite(file, piece)) break;
      }
    } finally {
      closeSync(file);
    }
  }

  /** Returns the space. */
  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  [Symbol.dispose](): void {
    execFileSync("umount", ["-l", this.path]);
    rmSync(this.path, { recursive: true, force: true });
    rmSync(this.#image, { force: true });
  }

  get #ballast(): string {
    return join(this.path, "ballast");
  }

  #allocate(bytes: bigint): void {
    try {
      const extent = `${bytes}`;
      execFileSync("fallocate", ["-n", "-l", extent, "-o", `${1n << 32n}`, this.#ballast], {
        stdio: "ignore",
      });
    } catch {
      // Another program has taken the space meanwhile.
    }
  }
}

/** False if there is no space. */
function tryWrite(file: number, piece: Buffer): boolean {
  try {
    return writeSync(file, piece) === piece.length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") return false;
    throw error;
  }
}
