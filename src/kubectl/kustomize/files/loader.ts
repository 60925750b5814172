/** Upstream: sigs.k8s.io/kustomize/api/internal/loader, kyaml/filesys. */
import { readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { openFailure } from "#/std/files/file-errors.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import { doing, KustomizeError } from "../failure/kustomize-error.ts";
import { cloneRepository } from "./clone-repository.ts";
import { isUrl, parseRepoUrl, type RepoUrl } from "./repo-url.ts";
import { symlinkFailure } from "./symlink-failure.ts";

/** Limit of nested folders (count): generated trees may be endless. */
const maxDepth = 200;

/** A file or folder is on another machine. */
export class RemoteError extends CommandError {
  override readonly name = "RemoteError";
}

/** The folders that refer to a folder. */
interface LoaderSource {
  readonly referrer?: Loader;
  readonly clone?: string;
  readonly url?: string;
}

/** Reads the files of one folder, and others only if that is allowed. */
export class Loader {
  /** The folder, without symbolic links. */
  readonly root: string;
  readonly #anyFile: boolean;
  readonly #referrer: Loader | undefined;
  readonly #depth: number;
  /** The cloned git repository that contains this folder; undefined if there is none. */
  readonly #clone: string | undefined;
  /** The URL that this folder was fetched from. */
  readonly #url: string | undefined;
  /** All cloned repositories of a build. */
  readonly #clones: string[];

  private constructor(root: string, anyFile: boolean, from: LoaderSource) {
    const { referrer, clone, url } = from;
    this.#url = url;
    this.root = root;
    this.#anyFile = anyFile;
    this.#referrer = referrer;
    this.#depth = referrer ? referrer.#depth + 1 : 0;
    this.#clone = clone ?? referrer?.repository;
    this.#clones = referrer?.clones ?? [];
  }

  get repository(): string | undefined {
    return this.#clone;
  }

  get clones(): string[] {
    return this.#clones;
  }

  /** Removes the clones. */
  [Symbol.dispose](): void {
    for (const folder of this.#clones.splice(0)) rmSync(folder, { recursive: true, force: true });
  }

  /** The loader of the root folder of a build; `path` is absolute, `name` is the argument. */
  static at(path: string, name: string, anyFile: boolean): Loader {
    const url = parseRepoUrl(name);
    if (url) return Loader.#fetch(name, url, undefined);
    return new Loader(
      doing("must build at directory", () => confirmFolder(path, name)),
      anyFile,
      {},
    );
  }

  /** The loader of a folder in a git repository. */
  static #fetch(name: string, url: RepoUrl, referrer: Loader | undefined): Loader {
    const clones = referrer?.clones ?? [];
    try {
      const clone = cloneRepository(url, (folder) => clones.push(folder));
      const path = join(clone, url.folder);
      const root = realPath(path);
      if (!isFolder(root)) {
        throw new KustomizeError(
          `'${path}' refers to file '${basename(root)}'; expecting directory`,
        );
      }
      if (!isWithin(root, clone)) {
        throw new KustomizeError(
          `${goQuote(path)} refers to directory outside of repo ${goQuote(clone)}`,
        );
      }
      const loader = new Loader(root, false, { clone, url: name, ...(referrer && { referrer }) });
      if (!referrer) loader.clones.push(...clones);
      return loader;
    } catch (error) {
      if (!referrer) for (const folder of clones) rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** The loader of another folder that this one refers to. */
  below(path: string): Loader {
    if (path === "") throw new KustomizeError("new root cannot be empty");
    const url = parseRepoUrl(path);
    if (this.#depth >= maxDepth) {
      throw new KustomizeError(`more than ${maxDepth} folders lead to '${path}'`);
    }
    if (url) {
      this.#refuseUrlCycle(path);
      return Loader.#fetch(path, url, this);
    }
    if (isAbsolute(path)) throw new KustomizeError(`new root '${path}' cannot be absolute`);
    const full = join(this.root, path);
    const root = doing("must build at directory", () => confirmFolder(full, full));
    if (this.#clone !== undefined && !isWithin(root, this.#clone)) {
      throw new KustomizeError(
        `security; bases in kustomizations found in cloned git repos must be within the repo, but base '${root}' is outside '${this.#clone}'`,
      );
    }
    this.#refuseCycle(root);
    return new Loader(root, this.#anyFile, { referrer: this });
  }

  #refuseUrlCycle(url: string): void {
    if (this.#url?.startsWith(url)) {
      throw new KustomizeError(
        `cycle detected: URI '${url}' referenced by previous URI '${this.#url}'`,
      );
    }
    if (this.#referrer) this.#referrer.#refuseUrlCycle(url);
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
    `'${path}' is on another machine: files are not fetched; fetch it first and refer to the copy`,
  );
}
