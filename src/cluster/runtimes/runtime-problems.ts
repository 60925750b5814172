import { statSync } from "node:fs";
import type { ClusterSettings } from "../base/settings.ts";
import { findProgram } from "../machine/find-program.ts";
import { getRuntime, runtimeNames } from "./index.ts";
import { ownRuntime, runnerOf } from "./own-runtime.ts";
import { mirrorProblem } from "./registry-mirrors.ts";
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

/** The problems of the flags of a runtime, known without looking at the machine. */
export function runtimeFlagProblems({
  runtime: name,
  runtimeFolder,
  runtimeEndpoint,
  registryMirrors = [],
}: Wanted & Pick<ClusterSettings, "registryMirrors">): string[] {
  if (!runtimeNames.includes(name)) {
    return [`--runtime=${name} is unknown; it is one of: ${runtimeNames.join(", ")}`];
  }
  if (runtimeEndpoint === undefined) {
    const runtime = getRuntime(name);
    return registryMirrors.flatMap((text) => mirrorProblem(text, runtime) ?? []);
  }
  const problems: string[] = [];
  if (name !== runtimeNames[0] || runtimeFolder !== undefined) {
    problems.push(
      "--container-runtime-endpoint names a runtime that runs already: leave out --runtime and --runtime-dir",
    );
  }
  if (registryMirrors.length > 0) {
    problems.push(
      "--registry-mirror needs a runtime that k8ts runs; configure mirrors in your own runtime itself",
    );
  }
  return problems;
}

/** Why a node can't use the user's runtime beside other nodes of this machine: each kubelet would end the others' Pods. */
export function sharedRuntimeProblem(
  { name, runtimeEndpoint }: Pick<ClusterSettings, "name" | "runtimeEndpoint">,
  others: readonly Pick<ClusterSettings, "name" | "runtimeEndpoint">[],
): string | undefined {
  if (runtimeEndpoint === undefined) return undefined;
  const user = others.find((one) => one.name !== name && one.runtimeEndpoint === runtimeEndpoint);
  return (
    user &&
    `--container-runtime-endpoint=${runtimeEndpoint} is the runtime of the cluster "${user.name}" already; each node needs one of its own`
  );
}

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
  const checks = runtime.needs.map(async ({ program, check = ["--version"] }) => {
    const path = findProgram(program, runtimeFolder);
    if (path === undefined || check === false) return undefined;
    return await run(program, check).then(
      () => undefined,
      (error: Error) => `--runtime=${name}: ${path} doesn't work: ${error.message}`,
    );
  });
  return (await Promise.all(checks)).filter((problem) => problem !== undefined);
}
