import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  type Stats,
} from "node:fs";

/** `O_PATH`: refers to a file without opening it, so that no pipe or device blocks; Node has no constant for it. */
const openPathOnly = 0o10000000;
const reference = openPathOnly | constants.O_NOFOLLOW;

/** The name of an entry; names need not be UTF-8. */
export type EntryName = string | Buffer;

/**
 * A reference to a file or directory that a Pod may change at the same time. Each operation applies to the file itself,
 * or to an entry of this very directory: no link is followed, no pipe or device is waited for, and the length of the
 * path does not matter. All calls are synchronous: see file-worker.ts.
 */
export class Descriptor implements Disposable {
  readonly #fd: number;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** A path whose parents no Pod can change. Its last part must not be a link. */
  static open(path: string): Descriptor {
    return checked(new Descriptor(openSync(path, reference)), path);
  }

  /** A path of the administrator, whose links are followed. */
  static openFollowing(path: string): Descriptor {
    return new Descriptor(openSync(path, openPathOnly));
  }

  /** The path by which this process, and its children, reach the file. */
  get path(): string {
    return `/proc/${process.pid}/fd/${this.#fd}`;
  }

  /** The path that the file has now. */
  get realPath(): string {
    return readlinkSync(this.path);
  }

  /** Another reference to the same file. */
  duplicate(): Descriptor {
    return Descriptor.openFollowing(this.path);
  }

  stat(): Stats {
    return fstatSync(this.#fd);
  }

  /** The entry of a directory, which may be a link; undefined if there is none. */
  find(name: EntryName): Descriptor | undefined {
    try {
      return new Descriptor(openSync(this.#entry(name), reference));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  readLink(name: EntryName): string {
    return readlinkSync(this.#entry(name));
  }

  entries(): Buffer[] {
    return readdirSync(this.path, { encoding: "buffer" });
  }

  /** Creates a directory; returns it even if it exists already. */
  makeDirectory(name: EntryName, mode: number): Descriptor {
    let isNew = true;
    try {
      mkdirSync(this.#entry(name), { mode });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      isNew = false;
    }
    const made = new Descriptor(openSync(this.#entry(name), reference));
    if (!made.stat().isDirectory()) {
      made[Symbol.dispose]();
      throw new Error(`${name} is not a directory`);
    }
    if (isNew) made.chmod(mode);
    return made;
  }

  /** The file itself must not be a link. */
  chmod(mode: number): void {
    chmodSync(this.path, mode);
  }

  changeGroup(group: number): void {
    chownSync(this.path, -1, group);
  }

  changeGroupOfLink(name: EntryName, group: number): void {
    lchownSync(this.#entry(name), -1, group);
  }

  /** A file descriptor for reading a regular file; the caller closes it. */
  openRegular(): number {
    if (!this.stat().isFile()) throw new Error("not a regular file");
    return openSync(this.path, constants.O_RDONLY | constants.O_NONBLOCK);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  #entry(name: EntryName): Buffer {
    return Buffer.concat([Buffer.from(`${this.path}/`), Buffer.from(name)]);
  }
}

function checked(found: Descriptor, path: string): Descriptor {
  if (!found.stat().isSymbolicLink()) return found;
  found[Symbol.dispose]();
  throw Object.assign(new Error(`${path} is a link`), { code: "ELOOP" });
}
