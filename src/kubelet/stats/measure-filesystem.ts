/** Upstream: pkg/volume/metrics_statfs.go. */
import { type RunProgram, runProgram } from "#/std/process/run-program.ts";
import type { FilesystemFacts } from "../node/machine-facts.ts";

/** Limit of the time (ms) of a file system's answer: one without its server never answers. */
const timeoutMs = 10_000;

/** Size and use of the file system of a volume, read by another process: a mount may hang. */
export async function measureFilesystem(
  path: string,
  run: RunProgram = runProgram,
): Promise<FilesystemFacts> {
  const format = "%s %b %a %c %d";
  const output = await run("stat", ["-f", "-c", format, "--", path], "", { timeoutMs });
  const [blockBytes = 0, blocks = 0, available = 0, inodes = 0, inodesFree = 0] = output
    .trim()
    .split(" ")
    .map(Number);
  return {
    capacityBytes: blocks * blockBytes,
    availableBytes: available * blockBytes,
    inodes,
    inodesFree,
  };
}
