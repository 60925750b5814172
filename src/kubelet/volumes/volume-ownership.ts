import { logger } from "#/std/log/log.ts";
import { runFileTask } from "../files/run-file-task.ts";
import type { OwnershipRequest } from "../files/volume-ownership.ts";

const log = logger("volume-ownership");

/** Gives a group ownership of, and access to, a volume and all files in it. */
export async function ensureVolumeOwnership(
  directory: string,
  options: Omit<OwnershipRequest, "directory">,
): Promise<void> {
  const failures = await runFileTask("changeOwnership", { directory, ...options }, directory);
  for (const message of failures) {
    log.warning("failed to change group of file", { directory, message });
  }
}
