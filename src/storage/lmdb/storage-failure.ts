import { CorruptError, NoSpaceError, StorageError } from "../base/storage.ts";

/** Converts a system error of a file to an error of the interface. */
export function toStorageError(error: unknown, file: string): StorageError {
  if (error instanceof StorageError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new NoSpaceError(`no space left to write ${file}`, { cause: error });
  }
  return new StorageError(`${file}: ${message}`, { cause: error });
}

/** The error for a damaged file of the store. */
export function corruptStore(file: string, problem: string): CorruptError {
  return new CorruptError(
    `${file} is damaged: ${problem}; move its directory away and restore the last snapshot with "k8ts store restore"`,
  );
}
