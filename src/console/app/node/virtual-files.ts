import { browserClock } from "../base/browser-clock.ts";

/** An error as the file system of Node throws it. */
export class FileError extends Error {
  readonly code: string;
  readonly errno: number;
  readonly syscall: string;
  readonly path: string;

  constructor(code: keyof typeof meanings, syscall: string, path: string) {
    const { text, errno } = meanings[code];
    super(`${code}: ${text}, ${syscall} '${path}'`);
    this.code = code;
    this.errno = errno;
    this.syscall = syscall;
    this.path = path;
  }
}

const meanings = {
  ENOENT: { text: "no such file or directory", errno: -2 },
  EISDIR: { text: "illegal operation on a directory", errno: -21 },
  ENOTDIR: { text: "not a directory", errno: -20 },
  EEXIST: { text: "file already exists", errno: -17 },
  ENOSPC: { text: "no space left on device", errno: -28 },
} as const;

/** Limit of all files together (bytes): they are in the page's memory. */
const maxBytes = 64 * 1024 * 1024;

/** The page's files, by their whole path. They are gone when it is closed. */
class VirtualFiles {
  readonly #files = new Map<string, Uint8Array>();
  readonly #changedMs = new Map<string, number>();
  readonly #folders = new Set<string>(["/"]);
  #size = 0;

  isFile(path: string): boolean {
    return this.#files.has(path);
  }

  isFolder(path: string): boolean {
    return this.#folders.has(path);
  }

  read(path: string): Uint8Array {
    const found = this.#files.get(path);
    if (found) return found;
    throw new FileError(this.isFolder(path) ? "EISDIR" : "ENOENT", "open", path);
  }

  /** When a file was written (ms); 0 for folders. */
  changedMs(path: string): number {
    return this.#changedMs.get(path) ?? 0;
  }

  write(path: string, bytes: Uint8Array): void {
    if (this.isFolder(path)) throw new FileError("EISDIR", "open", path);
    if (!this.isFolder(parentOf(path))) throw new FileError("ENOENT", "open", path);
    const size = this.#size + bytes.length - (this.#files.get(path)?.length ?? 0);
    if (size > maxBytes) throw new FileError("ENOSPC", "write", path);
    this.#size = size;
    this.#files.set(path, bytes);
    this.#changedMs.set(path, browserClock.now());
  }

  makeFolder(path: string, withParents: boolean): void {
    if (this.isFile(path)) throw new FileError("EEXIST", "mkdir", path);
    if (this.isFolder(path)) {
      if (withParents) return;
      throw new FileError("EEXIST", "mkdir", path);
    }
    const parent = parentOf(path);
    if (!this.isFolder(parent)) {
      if (!withParents) throw new FileError("ENOENT", "mkdir", path);
      this.makeFolder(parent, true);
    }
    this.#folders.add(path);
  }

  remove(path: string): void {
    const isBelow = (other: string) => other === path || other.startsWith(`${path}/`);
    for (const file of this.#files.keys()) {
      if (!isBelow(file)) continue;
      this.#size -= this.#files.get(file)?.length ?? 0;
      this.#files.delete(file);
      this.#changedMs.delete(file);
    }
    for (const folder of this.#folders)
      if (folder !== "/" && isBelow(folder)) this.#folders.delete(folder);
  }

  /** Names of what a folder contains, sorted. */
  list(path: string): string[] {
    if (!this.isFolder(path)) {
      throw new FileError(this.isFile(path) ? "ENOTDIR" : "ENOENT", "scandir", path);
    }
    const prefix = path === "/" ? "/" : `${path}/`;
    const names = [...this.#files.keys(), ...this.#folders]
      .filter((other) => other !== "/" && other.startsWith(prefix))
      .map((other) => other.slice(prefix.length))
      .filter((name) => name !== "" && !name.includes("/"));
    return names.sort();
  }
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/";

/** The only file system of the page. */
export const files = new VirtualFiles();
