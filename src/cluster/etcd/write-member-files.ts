import { chown, readFile } from "node:fs/promises";
import { CommandFailure } from "../base/command-failure.ts";
import { hasOwnMember } from "../base/etcd-settings.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { ensureFolder, writeIfChanged } from "../base/write-file.ts";
import { findProgram } from "../machine/find-program.ts";
import {
  type MoreMemberFlags,
  memberFolder,
  memberLaunch,
  memberLaunchFile,
} from "./member-launch.ts";

/** The program of a server's own member; undefined if the machine lacks it. */
const findEtcd = ({ etcd }: Pick<ClusterSettings, "etcd">): string | undefined =>
  etcd?.binary ?? findProgram("etcd");

/** The Debian packages that a server lacks for its own member. */
export const missingEtcdPackages = (settings: ClusterSettings): string[] =>
  hasOwnMember(settings) && findEtcd(settings) === undefined ? ["etcd-server"] : [];

/** Writes what the own member of a server needs at its start; nothing for other stores. */
export async function writeMemberFiles(
  paths: ClusterPaths,
  settings: ClusterSettings,
  more?: MoreMemberFlags,
): Promise<void> {
  if (!hasOwnMember(settings)) return;
  const program = findEtcd(settings);
  if (program === undefined) throw new CommandFailure("the program etcd is missing");
  await ensureFolder(memberFolder(paths));
  await giveToEtcd(memberFolder(paths));
  await ensureFolder(paths.config);
  await writeIfChanged(memberLaunchFile(paths), memberLaunch(paths, settings, program, more));
}

/** The folder belongs to the user that the package of etcd makes, as the CIS benchmark wants it; root may write to it. */
async function giveToEtcd(folder: string): Promise<void> {
  const users = await readFile("/etc/passwd", "utf8").catch(() => "");
  const [, uid, gid] = /^etcd:[^:]*:(\d+):(\d+):/m.exec(users) ?? [];
  if (uid !== undefined && gid !== undefined) await chown(folder, Number(uid), Number(gid));
}
