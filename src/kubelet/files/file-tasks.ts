import { checkExists, ensureHostPath } from "./host-path.ts";
import { readFile } from "./read-file.ts";
import { makeSubPath, mountSubPath } from "./sub-path.ts";
import { changeOwnership } from "./volume-ownership.ts";

/**
 * The work on files that Pods can change, or that lie on mounts that may hang. A task runs in a process of its own
 * (file-workers.ts), with arguments and a result that JSON can express. A long one calls `report` while it works.
 */
export const fileTasks = {
  changeOwnership,
  checkExists,
  ensureHostPath,
  makeSubPath,
  mountSubPath,
  readFile,
} as const;

export type FileTaskName = keyof typeof fileTasks;

/** A line to the process. */
export interface TaskRequest {
  readonly task: FileTaskName;
  readonly input: unknown;
}

/** A line from the process: `{}` while it works, then the result or the error. */
export interface TaskReport {
  readonly done?: boolean;
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly code?: string };
}
