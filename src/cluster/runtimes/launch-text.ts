import type { ClusterPaths } from "../base/paths.ts";
import type { RuntimeProgram } from "./runtime.ts";

/** A shell script that becomes a program of the runtime; all that its start depends on is in its text. */
export function launchText(
  paths: ClusterPaths,
  program: RuntimeProgram,
  folder: string | undefined,
): string {
  const transient = program.transient?.(paths) ?? [];
  return [
    ...(folder === undefined ? [] : [`export PATH=${quote(folder)}:"$PATH"`]),
    ...(transient.length > 0 ? emptied(`${paths.run}/${program.name}.boot`, transient) : []),
    `exec ${program.command(paths).map(quote).join(" ")}`,
    "",
  ].join("\n");
}

/** Empties folders unless a file says that it was done in this run of the machine. */
function emptied(marker: string, folders: readonly string[]): string[] {
  const boot = "/proc/sys/kernel/random/boot_id";
  const all = folders.map((folder) => `${quote(folder)}/*`).join(" ");
  return [`cmp -s ${boot} ${quote(marker)} || { rm -rf ${all}; cat ${boot} >${quote(marker)}; }`];
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
