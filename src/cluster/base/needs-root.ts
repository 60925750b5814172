import { accessSync, constants, statSync } from "node:fs";

/** An operation that requires root. */
export class NeedsRoot extends Error {
  override readonly name = "NeedsRoot";
  constructor(path: string) {
    super(`${path === "" ? "this" : path} needs root: run it with sudo`);
  }
}

/** Throws if the folder exists but is not readable: otherwise its cluster would seem to be missing. */
export function checkReadable(folder: string): void {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
  } catch (error) {
    if (isDenied(error) && !isFile(folder)) throw new NeedsRoot(folder);
  }
}

/** A file can't be listed by root either. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // It is not accessible.
  }
}

/** The message for a failure. A denied permission is named, with a remedy, unless root is denied. */
export function failureText(error: unknown, isRoot = process.getuid?.() === 0): string {
  const { path = "", message } = error as NodeJS.ErrnoException;
  return isDenied(error) && !isRoot ? new NeedsRoot(path).message : message;
}

/** Whether a call failed for a missing permission. */
export const isDenied = (error: unknown): boolean =>
  ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "");
