import { runProgram } from "#/std/process/run-program.ts";

/** Limit of the time (ms) to remove one tree; the next attempt continues. */
const removeMs = 10 * 60_000;

/**
 * Removes a directory that Pods have written, with all its files; does nothing if it doesn't exist. `rm` goes from
 * directory to directory by descriptors: the length of paths does not matter, and links are removed, not followed. Other
 * file systems below the directory are never removed.
 */
export async function removeTree(directory: string): Promise<void> {
  await runProgram("rm", ["-rf", "--one-file-system", "--", directory], "", {
    timeoutMs: removeMs,
  });
}
