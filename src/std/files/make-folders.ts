import { dirname, resolve } from "node:path";
import { mkdirSync, statSync } from "./node-fs.ts";

export interface MakeFoldersOptions {
  readonly mode?: number;
  /** Where relative paths begin; default the working folder. */
  readonly from?: string;
}

/**
 * Makes a folder, and all that it is in, unless they are there. A failure names the one that couldn't be made (`path`); a
 * file in the way is ENOTDIR. Node's own way (`recursive`) never ends where the system takes no folders, as in /proc.
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
