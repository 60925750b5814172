import { basename } from "node:path";

/** The way in which the user has called this program. */
export interface Call {
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

const quoted = (path: string): string =>
  /^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
