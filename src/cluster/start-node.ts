import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { systemClock } from "#/std/clock.ts";
import { writeIfChanged } from "./access-files.ts";
import { CommandFailure } from "./command.ts";
import { kubeletConfigFile } from "./component-flags.ts";
import { ensurePauseImage, prepareContainerd } from "./containerd.ts";
import { kubectl } from "./kubectl.ts";
import { cgroupName, kubeletConfig } from "./kubelet-config.ts";
import { ensureNamespace, planNamespace } from "./network-namespace.ts";
import { ensureCgroup } from "./node-cgroup.ts";
import { findCniPlugins, installPackages, missingPackages } from "./packages.ts";
import { accessFile, type ClusterPaths, defaultClusterName } from "./paths.ts";
import { findProcess, setStopping, supervise } from "./processes.ts";
import { programs } from "./programs.ts";
import type { Progress } from "./progress.ts";
import type { ClusterSettings } from "./settings.ts";

/** Between two looks at whether something is ready. */
const lookMs = 50;
/** How long containerd may take to answer. */
const runtimeMs = 30_000;

/** The machine's name, and the cluster's too if the machine may have several. */
export function defaultNodeName(cluster: string): string {
  const host = hostname().toLowerCase();
  return cluster === defaultClusterName ? host : `${host}-${cluster}`;
}

/** Installs what is missing, and lays the cluster's own network if it shares the machine. */
export async function prepareMachine(
  progress: Progress,
  settings: ClusterSettings,
  noInstall: boolean,
): Promise<void> {
  const missing = missingPackages(settings.runtimeEndpoint === undefined);
  if (missing.length > 0 && noInstall) {
    throw new CommandFailure(
      `these packages are missing: ${missing.join(" ")}; install them, or leave out --no-install`,
    );
  }
  if (missing.length > 0) {
    await progress.step(`installing ${missing.join(", ")} with apt-get`, () =>
      installPackages(missing),
    );
  }
  if (settings.networkNamespace) await ensureNamespace(planNamespace(settings.name));
}

/** Folders and files of a node, whichever way it belongs to a cluster. */
export async function writeNodeFiles(paths: ClusterPaths, settings: ClusterSettings) {
  for (const folder of [paths.access, paths.config, paths.log, paths.run, paths.kubelet]) {
    await mkdir(folder, { recursive: true, mode: 0o755 });
  }
  await mkdir(join(paths.config, "static-pods"), { recursive: true });
  await ensureCgroup(cgroupName(settings.name, settings.nodeName));
  await writeIfChanged(kubeletConfigFile(paths), kubeletConfig(paths, settings), 0o644);
}

/** Starts what doesn't run yet; the server first, for it takes longest. Returns when the agent was started, or 0. */
export async function startPrograms(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<number> {
  await setStopping(paths, false);
  startProgram(paths, settings, "server");
  if (!settings.runtimeEndpoint) await startRuntime(paths, settings);
  const isNew = findProcess(paths, "agent") === undefined;
  startProgram(paths, settings, "agent");
  return isNew ? systemClock.now() : 0;
}

function startProgram(paths: ClusterPaths, settings: ClusterSettings, name: string): void {
  const one = programs(paths, settings).find((candidate) => candidate.name === name);
  if (one && findProcess(paths, name) === undefined) supervise(paths, one);
}

/** Starts the node's own containerd, unless it runs, and waits until it answers. */
export async function startRuntime(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  const cniPlugins = findCniPlugins();
  if (!cniPlugins) throw new CommandFailure("the CNI plugins are missing");
  await prepareContainerd({ paths, cniPlugins });
  startProgram(paths, settings, "containerd");
  await eventually(paths, "containerd", "containerd", runtimeMs, async () =>
    existsSync(paths.containerdSocket),
  );
  await eventually(paths, "containerd", "containerd", runtimeMs, () =>
    ensurePauseImage(paths, paths.containerdSocket).then(
      () => true,
      () => false,
    ),
  );
}

/** Waits for the node to be Ready, as its kubelet has said after a time, not in an earlier life. */
export async function nodeReady(
  paths: ClusterPaths,
  { nodeName }: ClusterSettings,
  { since, timeoutMs }: { readonly since: number; readonly timeoutMs: number },
): Promise<void> {
  const access = `--kubeconfig=${accessFile(paths, "kubelet")}`;
  const ready = '?(@.type=="Ready")';
  const path = `{.status.conditions[${ready}].status} {.status.conditions[${ready}].lastHeartbeatTime}`;
  await eventually(paths, `node ${nodeName}`, "agent", timeoutMs, async () => {
    const { out } = await kubectl(paths, [access, "get", "node", nodeName, `-o=jsonpath=${path}`]);
    const [status, heartbeat = ""] = out.split(" ");
    // Times in the API are in whole seconds.
    return status === "True" && Date.parse(heartbeat) + 1000 > since;
  });
}

/** How many lines of a log tell why something didn't start. */
const shownLines = 5;

/** Looks again and again, for as long as it may take; what doesn't come is told with the end of its program's log. */
export async function eventually(
  paths: ClusterPaths,
  what: string,
  program: string,
  timeoutMs: number,
  holds: () => Promise<boolean>,
): Promise<void> {
  const deadline = systemClock.monotonicMs() + timeoutMs;
  while (!(await holds())) {
    if (systemClock.monotonicMs() > deadline) {
      const log = await readFile(join(paths.log, `${program}.log`), "utf8").catch(() => "");
      const end = log.trimEnd().split("\n").slice(-shownLines).join("\n");
      throw new CommandFailure(
        `${what} did not become ready within ${timeoutMs / 1000} s; the log of the ${program} ends with:\n${end}`,
      );
    }
    await systemClock.sleep(lookMs);
  }
}
