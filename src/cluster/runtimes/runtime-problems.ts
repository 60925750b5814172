import { statSync } from "node:fs";
import type { ClusterSettings } from "../base/settings.ts";
import { findProgram } from "../machine/find-program.ts";
import { runtimeNames } from "./index.ts";
import { ownRuntime, runnerOf } from "./own-runtime.ts";
import type { RuntimeNeed } from "./runtime.ts";

type Wanted = Pick<ClusterSettings, "runtime" | "runtimeFolder" | "runtimeEndpoint">;

/** The Debian packages of the runtime that a machine lacks. */
export function missingRuntimePackages(settings: Wanted): string[] {
  const missing = missingNeeds(settings).flatMap(({ debianPackage }) => debianPackage ?? []);
  return [...new Set(missing)];
}

const missingNeeds = (settings: Wanted): readonly RuntimeNeed[] =>
  (ownRuntime(settings)?.needs ?? []).filter(
    ({ program }) => findProgram(program, settings.runtimeFolder) === undefined,
  );

/** The problem of the name of a runtime; undefined if there is one of that name. */
export const unknownRuntime = (name: string): string | undefined =>
  runtimeNames.includes(name)
    ? undefined
    : `--runtime=${name} is unknown; it is one of: ${runtimeNames.join(", ")}`;

/** Why the runtime that a cluster shall run can't run here, each with a remedy: programs that can't be installed or don't work. */
export async function ownRuntimeProblems(settings: Wanted): Promise<string[]> {
  const { runtimeFolder, runtime: name } = settings;
  const runtime = ownRuntime(settings);
  if (!runtime) return [];
  if (runtimeFolder !== undefined) {
    const isFolder = statSync(runtimeFolder, { throwIfNoEntry: false })?.isDirectory();
    if (!isFolder) return [`--runtime-dir=${runtimeFolder} is no folder`];
  }
  const missing = missingNeeds(settings).flatMap(({ program, advice }) =>
    advice === undefined ? [] : [`--runtime=${name} needs the program ${program}. ${advice}`],
  );
  if (missing.length > 0) return missing;
  const run = runnerOf(settings);
  const checks = runtime.programs.map(async ({ name: program }) => {
    const path = findProgram(program, runtimeFolder);
    if (path === undefined) return undefined;
    return await run(program, ["--version"]).then(
      () => undefined,
      (error: Error) => `--runtime=${name}: ${path} doesn't work: ${error.message}`,
    );
  });
  return (await Promise.all(checks)).filter((problem) => problem !== undefined);
}
