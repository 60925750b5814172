/** Failures of the file system in Go's words. */

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EISDIR: "is a directory",
  ENOTDIR: "not a directory",
  EEXIST: "file exists",
  EPERM: "operation not permitted",
  ELOOP: "too many levels of symbolic links",
};

/** Why something failed: `no such file or directory`. */
export function failureReason(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return reasons[code] ?? (error instanceof Error ? error.message : String(error));
}

/** What Go says of a folder that makeFolders() couldn't make. */
export function folderFailure(error: unknown): string {
  const { path = "" } = error as NodeJS.ErrnoException;
  return `mkdir ${path}: ${failureReason(error)}`;
}

/** What Go says of a file that can't be opened or read. */
export function openFailure(name: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return `${code === "EISDIR" ? "read" : "open"} ${name}: ${failureReason(error)}`;
}
