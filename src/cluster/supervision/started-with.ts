import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ownVersion } from "../base/own-version.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { writeIfChanged } from "../base/write-file.ts";
import { etcdProgram, memberLaunchFile } from "../etcd/member-launch.ts";
import type { PartProgram } from "../parts/part.ts";
import { ownRuntime, startFiles } from "../runtimes/own-runtime.ts";
import { startDigest } from "./start-digest.ts";

/** The file that records a program's start. */
export const startedFile = (paths: ClusterPaths, program: string): string =>
  join(paths.run, `${program}.started`);

const versionFile = (paths: ClusterPaths, program: string): string =>
  join(paths.run, `${program}.version`);

/** The version with which a program was started last; undefined if it has not recorded one. */
export const startedVersion = (paths: ClusterPaths, program: string): Promise<string | undefined> =>
  readFile(versionFile(paths, program), "utf8").catch(() => undefined);

/** Records the settings of a program's start. The program calls it itself, so that every kind of start is recorded. */
export async function recordStart(
  program: PartProgram,
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<void> {
  // A restart changes nothing, and so succeeds on a full disk.
  await writeIfChanged(startedFile(paths, program), startDigest(program, paths, settings));
  await writeIfChanged(versionFile(paths, program), ownVersion());
}

/** True if a running program was started with the current settings. */
export async function isUpToDate(
  program: string,
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<boolean> {
  const recorded = await readFile(startedFile(paths, program), "utf8").catch(() => "");
  return recorded === wanted(program, paths, settings);
}

function wanted(program: string, paths: ClusterPaths, settings: ClusterSettings): string {
  if (program === "server" || program === "agent") return startDigest(program, paths, settings);
  const ofRuntime = ownRuntime(settings)?.programs.find(({ name }) => name === program);
  const others = program === etcdProgram ? [memberLaunchFile(paths)] : [];
  const files = ofRuntime ? startFiles(paths, ofRuntime) : others;
  return files.map((file) => readFileSync(file, "utf8")).join("");
}
