import { join, resolve } from "node:path";
import type { Owner } from "./edit-kubeconfig.ts";

/** The kubeconfig that gets a cluster's context, and the owner of a new file. */
export interface UserFile {
  readonly path: string;
  /** Undefined for the user of the command. */
  readonly owner: Owner | undefined;
  /** True if the user is known; false for plain root, which may be the machine itself. */
  readonly isAsked: boolean;
}

/** The user that called a command through sudo or doas. */
export interface Caller extends Owner {
  readonly home: string;
}

export interface UserFileOptions {
  /** --kubeconfig. */
  readonly flag: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly caller: Caller | undefined;
  exists(path: string): boolean;
}

/**
 * The user's kubeconfig: that of the flag; or of KUBECONFIG, where the first existing file counts, else the last, as
 * kubectl writes; or the one in the home of the user that called sudo.
 */
export function userFile(options: UserFileOptions): UserFile {
  const { flag, env, cwd, home, caller, exists } = options;
  const owner = caller && { uid: caller.uid, gid: caller.gid };
  if (flag) return { path: resolve(cwd, flag), owner, isAsked: true };
  const listed = (env["KUBECONFIG"] ?? "").split(":").filter((path) => path !== "");
  const path = listed.find((one) => exists(resolve(cwd, one))) ?? listed.at(-1);
  if (path) return { path: resolve(cwd, path), owner, isAsked: true };
  return { path: join(caller?.home ?? home, ".kube/config"), owner, isAsked: owner !== undefined };
}
