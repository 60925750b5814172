/** Upstream: staging/src/k8s.io/kubectl/pkg/kuberc/kuberc.go (LoadKuberc, DefaultGetPreferences). */

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { openFailure } from "#/std/files/file-errors.ts";
import { existsSync, readFileSync } from "#/std/files/node-fs.ts";
import { CommandError, messageOf } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import { klog } from "../base/klog.ts";
import type { Preference, ReadPreference } from "./preference.ts";

type Place = Pick<Host, "env" | "cwd">;

/** True if preferences are enabled. */
export function hasKuberc({ env }: Pick<Host, "env">): boolean {
  return env["KUBECTL_KUBERC"]?.toLowerCase() !== "false";
}

/** True if there may be preferences for a command line; most users have none, and don't load the parser. */
export function usesKuberc(args: readonly string[], host: Pick<Host, "env">): boolean {
  if (!hasKuberc(host)) return false;
  if (host.env["KUBERC"] || args.some((arg) => arg.includes("--kuberc"))) return true;
  return existsSync(kubercFile("", host.env).path);
}

/** A file of preferences, and whether the user has named it. */
interface KubercFile {
  /** "" if preferences are turned off. */
  readonly path: string;
  readonly isExplicit: boolean;
}

/** The file of --kuberc, of $KUBERC, or ~/.kube/kuberc. */
export function kubercFile(flag: string, env: Host["env"]): KubercFile {
  const variable = env["KUBERC"] ?? "";
  if (variable === "off") {
    if (flag === "") return { path: "", isExplicit: false };
    throw new CommandError(
      "disabling kuberc via KUBERC=off and passing kuberc flag are mutually exclusive",
    );
  }
  const named = flag || variable;
  if (named !== "") return { path: named, isExplicit: true };
  return { path: join(env["HOME"] || homedir(), ".kube", "kuberc"), isExplicit: false };
}

/** A missing file. */
export class MissingKuberc extends Error {
  override readonly name = "MissingKuberc";
}

/** Reads a file; throws MissingKuberc, or the file's errors. */
export async function readKuberc(
  path: string,
  { cwd }: Pick<Host, "cwd">,
): Promise<ReadPreference> {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new (isMissing ? MissingKuberc : CommandError)(openFailure(path, error), {
      cause: error,
    });
  }
  // Most users have no such file, and need no parser.
  const { readPreference } = await import("./preference.ts");
  return readPreference(text, path);
}

/** The preferences for a command line; undefined if there are none. */
export async function loadPreferences(
  args: readonly string[],
  host: Place & Pick<Host, "err" | "clock">,
): Promise<Preference | undefined> {
  const { path, isExplicit } = kubercFile(explicitPath(args), host.env);
  if (path === "") return undefined;
  try {
    const { preference, problem } = await readKuberc(path, host);
    if (problem !== undefined) {
      host.err.write(`kuberc: ignoring strict decoding error in ${path}: ${problem}`);
    }
    if (preference === undefined && verbosityOf(args) >= 5) {
      klog(host, "I", "marshal.go:103", `kuberc: no preferences found in ${path}`);
    }
    return preference;
  } catch (error) {
    if (isExplicit) throw new CommandError(`kuberc: ${messageOf(error)}`, { cause: error });
    if (!(error instanceof MissingKuberc)) {
      host.err.write(`kuberc: no preferences loaded from ${path}: ${messageOf(error)}`);
    }
    return undefined;
  }
}

/** The value of -v, which is needed before flags are parsed. */
function verbosityOf(args: readonly string[]): number {
  const texts = args.map((arg, at) => {
    const [, name, value] = /^(-v|--v=|-v=)(\d*)$/.exec(arg) ?? [];
    return name === "-v" && value === "" ? args[at + 1] : value;
  });
  return Number(texts.findLast((text) => text !== undefined)) || 0;
}

/** The value of --kuberc, which is needed before flags are parsed. */
function explicitPath(args: readonly string[]): string {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  const at = own.findIndex((arg) => arg === "--kuberc" || arg.includes("--kuberc="));
  if (at < 0) return "";
  const path = own[at] === "--kuberc" ? (args[at + 1] ?? "") : (own[at]?.split("=")[1] ?? "");
  if (path === "" && (own[at] !== "--kuberc" || at + 1 >= args.length)) {
    throw new UnnamedKuberc("kuberc file is not found");
  }
  return path;
}

/** --kuberc without a file; the message is printed without a prefix. */
export class UnnamedKuberc extends Error {
  override readonly name = "UnnamedKuberc";
}
