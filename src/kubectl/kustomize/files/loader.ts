/** Upstream: sigs.k8s.io/kustomize/api/internal/loader, kyaml/filesys. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";
import { openFailure } from "#/std/file-errors.ts";
import { CommandError } from "../../errors.ts";
import { doing, KustomizeError } from "../failure/kustomize-error.ts";
import { isRepository, isUrl } from "./repo-url.ts";
import { symlinkFailure } from "./symlink-failure.ts";

/** How many folders may lead to one: a limit for trees that a program has written. */
const MAX_DEPTH = 200;

/** A file or folder is on another machine. */
export class RemoteError extends CommandError {
  override readonly name = "RemoteError";
}

/** Reads the files of one folder, and no others unless that is allowed. */
export class Loader {
  /** The folder, without symbolic links. */
  readonly root: string;
  readonly #anyFile: boolean;
  readonly #referrer: Loader | undefined;
  readonly #depth: number;

  private constructor(root: string, anyFile: boolean, referrer?: Loader) {
    this.root = root;
    this.#anyFile = anyFile;
    this.#referrer = referrer;
    this.#depth = referrer ? referrer.#depth + 1 : 0;
  }

  /** The loader of the folder where a build starts; `path` is absolute, `name` is what was asked for. */
  static at(path: string, name: string, anyFile: boolean): Loader {
    if (isRepository(name)) throw remote(name);
    return new Loader(
      doing("must build at directory", () => confirmFolder(path, name)),
      anyFile,
    );
  }

  /** The loader of another folder that this one refers to. */
  below(path: string): Loader {
    if (path === "") throw new KustomizeError("new root cannot be empty");
    if (isRepository(path)) throw remote(path);
    if (isAbsolute(path)) throw new KustomizeError(`new root '${path}' cannot be absolute`);
    const full = join(this.root, path);
    const root = doing("must build at directory", () => confirmFolder(full, full));
    this.#refuseCycle(root);
    if (this.#depth >= MAX_DEPTH) {
      throw new KustomizeError(`more than ${MAX_DEPTH} folders lead to '${root}'`);
    }
    return new Loader(root, this.#anyFile, this);
  }

  #refuseCycle(candidate: string): void {
    if (isWithin(this.root, candidate)) {
      throw new KustomizeError(
        `cycle detected: candidate root '${candidate}' contains visited root '${this.root}'`,
      );
    }
    if (this.#referrer) this.#referrer.#refuseCycle(candidate);
  }

  /** The content of a file. */
  load(path: string): Buffer {
    if (isUrl(path)) throw remote(path);
    const full = isAbsolute(path) ? path : join(this.root, path);
    const allowed = this.#anyFile ? full : this.#restricted(full);
    try {
      return readFileSync(allowed);
    } catch (error) {
      throw new KustomizeError(openFailure(allowed, error), { cause: error });
    }
  }

  tryLoad(path: string): Buffer | undefined {
    try {
      return this.load(path);
    } catch {
      return undefined;
    }
  }

  #restricted(path: string): string {
    const real = realPath(path);
    if (isFolder(real)) throw new KustomizeError(`'${path}' must resolve to a file`);
    if (isWithin(dirname(real), this.root)) return real;
    throw new KustomizeError(`security; file '${path}' is not in or below '${this.root}'`);
  }
}

function isWithin(path: string, folder: string): boolean {
  return folder === sep || path === folder || path.startsWith(`${folder}${sep}`);
}

function realPath(path: string, name = path): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new KustomizeError(symlinkFailure(path, error, name), { cause: error });
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function confirmFolder(path: string, name: string): string {
  if (name === "") throw new KustomizeError("directory path cannot be empty");
  const real = doing("not a valid directory", () => realPath(path, name));
  if (isFolder(real)) return real;
  throw new KustomizeError(`'${name}': file is not directory`);
}

function remote(path: string): RemoteError {
  return new RemoteError(
    `'${path}' is remote: kustomizations are built of local files only; fetch it first and refer to the copy`,
  );
}
