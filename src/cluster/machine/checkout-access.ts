import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunProgram, runProgram } from "#/std/process/run-program.ts";

/** The users and groups of the machine, in the format of /etc/passwd and /etc/group. */
interface Accounts {
  readonly passwd: string;
  readonly group: string;
}

/** The folder of this k8ts. */
export const ownCheckout = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

interface Options {
  /** What root does with the folder's content. */
  readonly use?: "which root would run" | "and the cluster applies what is there";
  readonly accounts?: Accounts;
  readonly run?: RunProgram;
}

/**
 * Why root must not use what is in a folder, such as programs: users other than root and its owner could change them. Undefined if they
 * can't. The group of a user alone, which some distributions let write by default, is the user.
 */
export async function checkoutProblem(
  folder: string,
  { use = "which root would run", accounts = machineAccounts(), run = runProgram }: Options = {},
): Promise<string | undefined> {
  const root = realpathSync(folder);
  const { uid } = statSync(root);
  const groups = [0, ...privateGroups(uid, accounts)];
  const open = openParent(root, uid, groups) ?? (await openFile(root, uid, groups, run));
  if (open === undefined) return undefined;
  const owner = nameOf(uid, accounts);
  const allowed = uid === 0 ? "root" : `root and ${owner}`;
  return `users other than ${allowed} could change ${open}, ${use}: chown -R ${owner} ${root} && chmod -R go-w ${root}, or move it to a folder of ${owner}`;
}

/** A hint that the owner of the programs has as many rights as root; undefined if that is root, or has called sudo. */
export function ownerHint(
  folder: string,
  sudoUid = process.env["SUDO_UID"],
  accounts: Accounts = machineAccounts(),
): string | undefined {
  const { uid } = statSync(folder);
  if (uid === 0 || String(uid) === sudoUid) return undefined;
  return `  security   ${folder} belongs to ${nameOf(uid, accounts)}, who can change what root runs here: chown -R root ${folder}`;
}

/** The nearest parent folder in which others could replace the next one. */
function openParent(root: string, uid: number, groups: readonly number[]): string | undefined {
  for (let folder = root; folder !== dirname(folder); ) {
    folder = dirname(folder);
    const found = statSync(folder);
    const isOwned = found.uid === 0 || found.uid === uid;
    const isSticky = (found.mode & 0o1000) !== 0;
    const isWritable =
      (found.mode & 0o002) !== 0 || ((found.mode & 0o020) !== 0 && !groups.includes(found.gid));
    if (!isOwned || (isWritable && !isSticky)) return folder;
  }
  return undefined;
}

/** A file or folder of the programs that others could write to; git's own files are not run. */
async function openFile(
  root: string,
  uid: number,
  groups: readonly number[],
  run: RunProgram,
): Promise<string | undefined> {
  const foreign = groups.flatMap((gid) => ["!", "-gid", String(gid)]);
  const isOpen = [
    ["-perm", "/002"],
    ["-o", "(", "-perm", "/020", ...foreign, ")"],
    ["-o", "(", "!", "-uid", "0", "!", "-uid", String(uid), ")"],
  ].flat();
  // With the slash, packages behind a link are looked at as well.
  const places = [root, join(root, "node_modules/")].filter(existsSync);
  const git = ["-path", join(root, ".git"), "-prune", "-o"];
  const args = [...places, ...git, "!", "-type", "l", "(", ...isOpen, ")", "-print", "-quit"];
  const found = await run("find", args);
  return found.split("\n")[0] || undefined;
}

/** The groups that have a user as their only member. */
function privateGroups(uid: number, { passwd, group }: Accounts): number[] {
  const users = parse(passwd).map(([name = "", , id, gid]) => ({ name, id: Number(id), gid }));
  const names = users.filter(({ id }) => id === uid).map(({ name }) => name);
  return parse(group).flatMap(([, , gid = "", members = ""]) => {
    const primary = users.filter((user) => user.gid === gid);
    const isOwn = primary.length > 0 && primary.every(({ id }) => id === uid);
    const others = members.split(",").filter((name) => name !== "" && !names.includes(name));
    return isOwn && others.length === 0 ? [Number(gid)] : [];
  });
}

const parse = (text: string): string[][] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(":"));

const nameOf = (uid: number, { passwd }: Accounts): string =>
  parse(passwd).find(([, , id]) => id === String(uid))?.[0] ?? String(uid);

const machineAccounts = (): Accounts => ({
  passwd: readFileSync("/etc/passwd", "utf8"),
  group: readFileSync("/etc/group", "utf8"),
});
