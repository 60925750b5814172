import { NoSpaceError, StorageError } from "../storage.ts";

/** What the system said about a file, as the errors of the interface. */
export function toStorageError(error: unknown, file: string): StorageError {
  if (error instanceof StorageError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new NoSpaceError(`no space left to write ${file}`, { cause: error });
  }
  return new StorageError(`${file}: ${message}`, { cause: error });
}
