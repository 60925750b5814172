import { dirname, resolve } from "node:path";
import { mkdirSync, statSync } from "./node-fs.ts";

interface MakeFoldersOptions {
  readonly mode?: number;
  /** The base of relative paths; default the working folder. */
  readonly from?: string;
}

/**
 * Creates a folder and its parents, unless they exist. An error names the folder that couldn't be
 * created (`path`); a file in the way is ENOTDIR. Node's `recursive` never ends on file systems
 * without folders, as in /proc.
 */
export function makeFolders(path: string, options: MakeFoldersOptions = {}): void {
  const { mode = 0o777, from = process.cwd() } = options;
  const place = resolve(from, path);
  if (isFolder(place)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolders(parent, options);
  try {
    mkdirSync(place, { mode });
  } catch (error) {
    if (isFolder(place)) return;
    const { code } = error as NodeJS.ErrnoException;
    throw Object.assign(error as Error, { path, code: code === "EEXIST" ? "ENOTDIR" : code });
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
