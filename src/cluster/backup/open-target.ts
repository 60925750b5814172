import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { SnapshotSchedule } from "../base/settings.ts";
import { folderTarget } from "./folder-target.ts";
import type { SnapshotTarget } from "./snapshot-target.ts";

/** The place for snapshots that a user names, or the cluster's own. */
export async function openTarget(
  paths: ClusterPaths,
  { to, s3Credentials }: Pick<Partial<SnapshotSchedule>, "to" | "s3Credentials">,
): Promise<SnapshotTarget> {
  if (!to) return folderTarget(join(paths.folder, "snapshots"));
  if (!isS3(to)) return folderTarget(resolve(to));
  const { s3Target } = await import("./s3-target.ts");
  return await s3Target(to, s3Credentials);
}

/** Whether a place is a bucket. */
export const isS3 = (to: string): boolean => to.startsWith("s3://");

/** Limit of a passphrase (bytes): a longer file is another one. */
const maxPassphraseBytes = 4096;
/** A shorter one is guessed too soon. */
const minPassphraseLength = 8;

/** The passphrase in a file: its first line. */
export async function readPassphrase(file: string | undefined): Promise<string | undefined> {
  if (!file) return undefined;
  const text = await readFile(file).catch((error: Error) => {
    throw new CommandFailure(`the passphrase can't be read: ${error.message}`);
  });
  const [line = ""] = text.toString("utf8").split(/\r?\n/, 1);
  if (text.length > maxPassphraseBytes || line.length < minPassphraseLength) {
    throw new CommandFailure(
      `${file} has no passphrase: its first line must have ${minPassphraseLength} characters or more`,
    );
  }
  return line;
}
