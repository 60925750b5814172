import { existsSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "#/std/process/run-program.ts";
import { findOperation, type Operation, runOperation } from "../base/operation.ts";
import { ownVersion } from "../base/own-version.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { type ClusterSettings, getSettings } from "../base/settings.ts";
import { ownCluster } from "../command-line/own-cluster.ts";
import { writeOutcome } from "../node-upgrade/outcome.ts";
import { prepareMachine, startPrograms, writeNodeFiles } from "../programs/start-node.ts";
import { writeClusterFiles } from "../programs/write-cluster-files.ts";
import { installProgram } from "../release/install-program.ts";
import { currentProgram, ownRoot, switchProgram } from "../release/versions.ts";
import { apiReady, nodeReady } from "../supervision/readiness.ts";
import { runningRoot } from "../upgrade/running-root.ts";
import { applyManifests } from "./apply-manifests.ts";

/** Time that programs of another version have to become ready (ms), and to be started again by their own version. */
const readyMs = 180_000;
const backMs = 300_000;

/** What is to run on this machine, and what ran before. */
interface NodeUpgrade {
  /** The folder of the program. */
  readonly to: string;
  /** The one before it; undefined if it is not known. */
  readonly from?: string | undefined;
  /** Whether the node's agent has called it: from the node's own network namespace, if it has one. */
  readonly isAsked?: boolean;
}

/** Makes this program the one that the cluster's programs on this machine run, and restarts those. Containers stay. */
export const upgradeOperation: Operation<NodeUpgrade> = {
  name: "upgrade --this-node",
  resumes: "before start",
  steps: (paths) => [
    {
      name: "choosing the program",
      run: ({ to }) => switchProgram(paths, to),
      undo: async ({ from }) => {
        if (from !== undefined) await switchProgram(paths, from);
      },
    },
    {
      name: "restarting the programs",
      run: ({ isAsked }) => restartPrograms(paths, getSettings(paths), isAsked ?? false),
      undo: async () => undefined, // The program before it restarts its own: see returnTo().
    },
  ],
};

/** Server first, then the agent, each with the files that this version writes; waits until both work. */
async function restartPrograms(
  paths: ClusterPaths,
  settings: ClusterSettings,
  isAsked: boolean,
): Promise<void> {
  const progress = new Progress();
  const { networkNamespace, ...outside } = settings;
  await prepareMachine(progress, isAsked && networkNamespace ? outside : settings, false);
  if (settings.role === "server") await writeClusterFiles(paths, settings);
  else await writeNodeFiles(paths, settings);
  const since = await startPrograms(paths, settings, progress);
  if (settings.role === "server") {
    await apiReady(paths, settings, readyMs);
    await applyManifests(paths, settings);
  }
  await nodeReady(paths, settings, { since, timeoutMs: readyMs });
}

/** `k8ts upgrade --this-node`: as the agent of the node, or the machine that drives the upgrade, calls it. */
export async function upgradeThisNode(
  paths: ClusterPaths,
  name: string,
  { request, from }: { readonly request: string; readonly from: string },
): Promise<void> {
  const version = ownVersion();
  const finish = async (error: string): Promise<void> => {
    if (request !== "") await writeOutcome(paths, { id: request, version, error });
  };
  const before = await programBefore(paths, name, from);
  try {
    await using _lock = await ownCluster(name, "upgrade");
    const { folder: to } = await installProgram(paths, ownRoot);
    const args = { to, from: before, isAsked: request !== "" };
    await runOperation(paths, upgradeOperation, args, new Progress());
    await finish("");
  } catch (error) {
    const reason = (error as Error).message;
    const { stayed } = await returnTo(paths, name, before);
    const message = `${version} does not work there: ${reason}${stayed}`;
    await finish(message);
    throw new Error(message, { cause: error });
  }
}

/** The program that runs on this machine, installed so that it can come back. */
async function programBefore(
  paths: ClusterPaths,
  name: string,
  given: string,
): Promise<string | undefined> {
  const running = currentProgram(paths) ?? (given || (await runningRoot(paths, name)));
  if (running === undefined || running === ownRoot) return undefined;
  return await installProgram(paths, running).then(
    ({ folder }) => folder,
    () => undefined, // Its folder is gone, or no longer whole.
  );
}

/** Has the program before this one start its programs again, after an upgrade that has failed. */
async function returnTo(
  paths: ClusterPaths,
  name: string,
  program: string | undefined,
): Promise<{ readonly stayed: string }> {
  if (program === undefined) return { stayed: "; there is no program to go back to" };
  if (await findOperation(paths)) return { stayed: "" };
  const flags = [`--name=${name}`, `--data-dir=${paths.folder}`];
  const command = existsSync(join(program, "src/cluster/commands/upgrade.ts"))
    ? ["upgrade", "--this-node", ...flags]
    : ["up", "--no-install", ...flags];
  try {
    await switchProgram(paths, program);
    await runProgram(join(program, "k8ts"), command, "", { timeoutMs: backMs });
    return { stayed: `; ${ownVersion(program)} runs again` };
  } catch (error) {
    return { stayed: `; and ${ownVersion(program)} could not be started again: ${error}` };
  }
}
