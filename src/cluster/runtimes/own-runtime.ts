import { readFile } from "node:fs/promises";
import { runProgram } from "#/std/process/run-program.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { ensureFolder, traverseOnly, writeIfChanged } from "../base/write-file.ts";
import { findProgram } from "../machine/find-program.ts";
import { mayProtect } from "../machine/may-protect.ts";
import { hasController, nodeCgroup } from "../machine/node-cgroup.ts";
import { findCniPlugins } from "../machine/packages.ts";
import { getRuntime } from "./index.ts";
import { launchText } from "./launch-text.ts";
import { parseMirror, removeOldMirrors } from "./registry-mirrors.ts";
import type {
  RunRuntimeProgram,
  Runtime,
  RuntimeContext,
  RuntimeFile,
  RuntimeProgram,
} from "./runtime.ts";

type RuntimeSettings = Pick<ClusterSettings, "runtime" | "runtimeFolder" | "runtimeEndpoint">;

/** The runtime that a cluster runs; undefined if the user provides one. */
export const ownRuntime = ({ runtime, runtimeEndpoint }: RuntimeSettings): Runtime | undefined =>
  runtimeEndpoint === undefined ? getRuntime(runtime) : undefined;

/** The address of the node's runtime, for CRI: unix:///… */
export function endpointOf(paths: ClusterPaths, settings: RuntimeSettings): string {
  const last = ownRuntime(settings)?.programs.at(-1);
  return settings.runtimeEndpoint ?? `unix://${last?.socket(paths)}`;
}

/** The file with the command line of a program of the runtime. */
const launchFile = (paths: ClusterPaths, { name }: RuntimeProgram): string =>
  `${paths.config}/${name}.start`;

/** The files that a program of the runtime reads at its start; the first is the script that starts it. */
export const startFiles = (paths: ClusterPaths, program: RuntimeProgram): readonly string[] => [
  launchFile(paths, program),
  ...program.files(paths),
];

/** Runs programs of the runtime, found in its folder or in $PATH. */
export const runnerOf =
  ({ runtimeFolder }: Pick<RuntimeSettings, "runtimeFolder">): RunRuntimeProgram =>
  (program, args) =>
    runProgram(findProgram(program, runtimeFolder) ?? program, args);

/** Writes the configuration of the runtime that a cluster runs, and the folders that it names. */
export async function writeRuntimeFiles(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<void> {
  const runtime = ownRuntime(settings);
  if (!runtime) return;
  const context = await runtimeContext(paths, settings);
  for (const folder of runtime.folders(paths)) await ensureFolder(folder, modeOf(paths, folder));
  await ensureFolder(`${paths.run}/containerd`, traverseOnly);
  const launches: readonly RuntimeFile[] = runtime.programs.map((program) => ({
    path: launchFile(paths, program),
    text: launchText(paths, program, settings.runtimeFolder),
  }));
  const files = await runtime.files(context);
  await removeOldMirrors(paths, files);
  for (const { path, text, mode } of [...files, ...launches]) {
    await ensureFolder(path.slice(0, path.lastIndexOf("/")));
    await writeIfChanged(path, text, mode);
  }
}

/** Folders of data and state are on the way to containers' file systems; those of configuration are not. */
const modeOf = (paths: ClusterPaths, folder: string): number =>
  folder.startsWith(`${paths.config}/`) ? 0o700 : traverseOnly;

async function runtimeContext(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<RuntimeContext> {
  const cniPlugins = findCniPlugins();
  if (!cniPlugins) throw new CommandFailure("the CNI plugins are missing");
  return {
    paths,
    cniPlugins,
    systemdCgroup: nodeCgroup(settings).driver === "systemd",
    mirrors: (settings.registryMirrors ?? []).flatMap((text) => parseMirror(text) ?? []),
    hasHugetlb: await hasController("hugetlb"),
    mayProtect: mayProtect(await readFile("/proc/self/status", "utf8")),
    programPath(name) {
      const path = findProgram(name, settings.runtimeFolder);
      if (path === undefined) throw new CommandFailure(`the program ${name} is missing`);
      return path;
    },
    output: runnerOf(settings),
  };
}
