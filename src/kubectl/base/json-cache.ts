import { dirname } from "node:path";
import { makeFolders } from "#/std/files/make-folders.ts";
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "#/std/files/node-fs.ts";

/** What a file of JSON holds; undefined if it is missing, damaged, or older than a time in milliseconds. */
export function readCached(file: string, notBeforeMs = 0): unknown {
  try {
    if (notBeforeMs > 0 && statSync(file).mtimeMs < notBeforeMs) return undefined;
    return JSON.parse(readFileSync(file, "utf8")) as unknown;
  } catch {
    // The server knows.
    return undefined;
  }
}

/** Keeps a value in a file, whole or not at all. */
export function writeCached(file: string, value: unknown): void {
  const temporary = `${file}.${process.pid}`;
  try {
    makeFolders(dirname(file), { mode: 0o750 });
    writeFileSync(temporary, JSON.stringify(value), { mode: 0o660 });
    renameSync(temporary, file);
  } catch {
    // A cache that can't be written is no cache: the next command asks again.
    rmSync(temporary, { force: true });
  }
}
