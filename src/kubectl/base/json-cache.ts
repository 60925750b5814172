import { dirname } from "node:path";
import { makeFolders } from "#/std/files/make-folders.ts";
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "#/std/files/node-fs.ts";

/** The value of a JSON file; undefined if it is missing, invalid, or older than a limit (ms). */
export function readCached(file: string, notBeforeMs = 0): unknown {
  try {
    if (notBeforeMs > 0 && statSync(file).mtimeMs < notBeforeMs) return undefined;
    return JSON.parse(readFileSync(file, "utf8")) as unknown;
  } catch {
    // The caller then requests it from the server.
    return undefined;
  }
}

/** Writes a value to a file atomically. */
export function writeCached(file: string, value: unknown): void {
  const temporary = `${file}.${process.pid}`;
  try {
    makeFolders(dirname(file), { mode: 0o750 });
    writeFileSync(temporary, JSON.stringify(value), { mode: 0o660 });
    renameSync(temporary, file);
  } catch {
    // A failure to write the cache is ignored: the next command sends the request again.
    rmSync(temporary, { force: true });
  }
}
