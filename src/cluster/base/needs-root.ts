import { accessSync, constants, statSync } from "node:fs";

/** Something that only root may do. */
export class NeedsRoot extends Error {
  override readonly name = "NeedsRoot";
  constructor(path: string) {
    super(`${path === "" ? "this" : path} needs root: run it with sudo`);
  }
}

/** Throws if the folder is there, but may not be read: its cluster must not look as if there were none. */
export function checkReadable(folder: string): void {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
  } catch (error) {
    if (isDenied(error) && !isFile(folder)) throw new NeedsRoot(folder);
  }
}

/** A file can't be searched by root either. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // It may not be looked at.
  }
}

/** What a command says of a failure. A denied permission is named as such, with what helps, unless root is denied. */
export function failureText(error: unknown, isRoot = process.getuid?.() === 0): string {
  const { path = "", message } = error as NodeJS.ErrnoException;
  return isDenied(error) && !isRoot ? new NeedsRoot(path).message : message;
}

/** Whether a call failed for a missing permission. */
export const isDenied = (error: unknown): boolean =>
  ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "");
