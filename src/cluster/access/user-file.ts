import { join, resolve } from "node:path";
import type { Owner } from "./edit-kubeconfig.ts";

/** The file that gets a cluster's context, and whose it is if it is made. */
export interface UserFile {
  readonly path: string;
  /** Undefined: of who runs the command. */
  readonly owner: Owner | undefined;
  /** Whether the user is known: not so for root without more, who may be the machine itself. */
  readonly isAsked: boolean;
}

/** Who called a command through sudo or doas. */
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
 * The kubeconfig of the user: as the flag says; or KUBECONFIG, of several files the first that is there, else the last, as
 * kubectl writes; or the one in the home of who called sudo.
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
