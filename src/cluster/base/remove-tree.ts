import { runProgram } from "#/std/process/run-program.ts";

/**
 * Removes a folder with everything in it, also what Pods have written there: trees that are deeper than the longest path
 * (PATH_MAX), which Node refuses. Links are not followed, and file systems that are still mounted in it stay whole.
 */
export async function removeTree(folder: string): Promise<void> {
  await runProgram("rm", ["-rf", "--one-file-system", "--", folder]);
}
