/** An entry of package-lock.json. */
export interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly libc?: string | readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** package-lock.json. Keys of `packages` are folders; the empty one is the project itself. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

export const parseLockFile = (text: string): LockFile => JSON.parse(text) as LockFile;

/** The name of the package in a folder, such as node_modules/@scope/name. */
export const packageIn = (folder: string): string =>
  folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
