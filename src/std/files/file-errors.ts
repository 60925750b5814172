/** File system errors with Go's messages. */

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EISDIR: "is a directory",
  ENOTDIR: "not a directory",
  EEXIST: "file exists",
  EPERM: "operation not permitted",
  ELOOP: "too many levels of symbolic links",
};

/** The reason of a failure: `no such file or directory`. */
export function failureReason(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return reasons[code] ?? (error instanceof Error ? error.message : String(error));
}

/** Go's message for a folder that makeFolders() couldn't create. */
export function folderFailure(error: unknown): string {
  const { path = "" } = error as NodeJS.ErrnoException;
  return `mkdir ${path}: ${failureReason(error)}`;
}

/** Go's message for a file that can't be opened or read. */
export function openFailure(name: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return `${code === "EISDIR" ? "read" : "open"} ${name}: ${failureReason(error)}`;
}
