import { accessSync, constants } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { nameOption } from "./paths.ts";

/** The way in which the user has called this program. */
interface Call {
  /** The launcher as it was called: a path, or a name that was found in PATH. */
  readonly launcher: string;
  /** The file that PATH has for the launcher's name; undefined if none. */
  readonly inPath: string | undefined;
  /** The command that sudo ran; empty without sudo. */
  readonly ofSudo: string;
}

/** Commands that don't need root, or for which users have settings of their own. */
const withoutRoot = ["kubectl", "help", "completion"];

/** A command line of k8ts, called in the same way as this one. */
export function commandAs({ launcher, inPath, ofSudo }: Call, words: string): string {
  const own = launcher === inPath ? basename(launcher) : quoted(launcher);
  const isBySudo = basename(ofSudo.split(" ")[0] ?? "") === basename(launcher);
  const needsRoot = !withoutRoot.includes(words.split(" ")[0] ?? "");
  return `${isBySudo && needsRoot ? "sudo " : ""}${own} ${words}`;
}

/**
 * A command line of k8ts for a message, which can be pasted unchanged: k8ts may not be in PATH, or may need sudo. It has the
 * cluster's flag, if one is given.
 */
export const ownCommand = (words: string, cluster?: string): string =>
  commandAs(thisCall(), words + (cluster === undefined ? "" : nameOption(cluster)));

function thisCall(): Call {
  const launcher = process.env["K8TS_COMMAND"] || "k8ts";
  return {
    launcher,
    inPath: findInPath(basename(launcher)),
    ofSudo: process.env["SUDO_COMMAND"] ?? "",
  };
}

function findInPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const quoted = (path: string): string =>
  /^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
