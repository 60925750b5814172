import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { ProgramError, runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { snapshotName } from "../backup/schedule.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { Operation, Remember } from "../base/operation.ts";
import { ownCommand } from "../base/own-command.ts";
import { type ClusterPaths, clusterPaths } from "../base/paths.ts";
import type { Progress } from "../base/progress.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { ensureFolder, writeWhole } from "../base/write-file.ts";
import { localNodes } from "../local-nodes/local-nodes.ts";
import type { NodeRequest } from "../node-upgrade/node-request.ts";
import { readDigest, removeOldPrograms } from "../release/install-program.ts";
import { currentProgram } from "../release/versions.ts";
import { changedResources, rewriteObjects } from "./migrate-storage.ts";
import { publishProgram, removePublished, requestUpgrade } from "./publish-program.ts";
import { type NodeState, readNodes, readStorageVersions } from "./read-cluster.ts";

/** Limit of the time (ms) of the restart of a node's programs, with a way back if they don't work. */
const nodeMs = 600_000;
const snapshotMs = 30 * 60_000;
const pollMs = 500;
/** Limit of the time (ms) that an agent which works needs to report its version. */
const reportMs = 30_000;

/** The upgrade of a cluster, as its journal has it. */
export interface Roll {
  /** Names it in requests. */
  readonly id: string;
  /** Number of times that it was begun or continued: each asks the nodes again. */
  readonly attempt: number;
  /** The program's folder, and its version. */
  readonly to: string;
  readonly version: string;
  /** The program before it, to which --rollback returns; undefined if there is none. */
  readonly from?: string | undefined;
  readonly isRollback: boolean;
  readonly snapshot?: string;
  /** The stored versions before the upgrade. */
  readonly stored?: Readonly<Record<string, string>>;
}

/** What a roll needs besides its journal. */
interface RollContext {
  readonly paths: ClusterPaths;
  readonly settings: ClusterSettings;
  readonly progress: Progress;
}

/** Where the journal of an upgrade of the cluster is: that of this machine alone is in the cluster's own folder. */
export const rollPaths = ({ folder }: ClusterPaths): ClusterPaths =>
  clusterPaths(join(folder, "upgrade"));

/**
 * Upgrades a cluster: this machine, which has a server, then the others one by one. A step that fails is not taken back: nodes
 * of both versions work together, and the user decides whether to go on or to go back.
 */
export function rollOperation(context: RollContext): Operation<Roll> {
  return {
    name: "upgrade",
    resumes: "after start",
    steps: () => [
      { name: "snapshot", run: (roll, remember) => saveState(context, roll, remember) },
      {
        name: "this machine",
        run: (roll) => upgradeMachine(context.paths, context.settings, roll),
      },
      { name: "other nodes", run: (roll) => upgradeNodes(context, roll) },
      { name: "stored versions", run: (roll) => migrate(context, roll) },
      { name: "cleaning up", run: (roll) => cleanUp(context, roll) },
    ],
  };
}

async function saveState(
  { paths, settings }: RollContext,
  roll: Roll,
  remember: Remember<Roll>,
): Promise<void> {
  if (roll.isRollback) return;
  if (!roll.stored) await remember({ stored: await readStorageVersions(paths) });
  const name = snapshotName(settings.name, systemClock.now(), false);
  const snapshot = roll.snapshot ?? join(paths.folder, "snapshots", name);
  await remember({ snapshot });
  if (existsSync(snapshot)) return;
  await ensureFolder(join(paths.folder, "snapshots"));
  await k8ts(roll.to, ["snapshot", "save", snapshot], paths, settings, snapshotMs);
}

/** The new program makes itself the one that runs; if it does not work, it has the one before it run again. */
async function upgradeMachine(
  paths: ClusterPaths,
  settings: ClusterSettings,
  { to, from }: Roll,
): Promise<void> {
  if (existsSync(join(to, "src/cluster/commands/upgrade.ts"))) {
    const words = ["upgrade", "--this-node", ...(from === undefined ? [] : [`--from=${from}`])];
    await k8ts(to, words, paths, settings, nodeMs);
    return;
  }
  // A version from before there were upgrades.
  const { switchProgram } = await import("../release/versions.ts");
  await switchProgram(paths, to);
  await k8ts(to, ["up", "--no-install"], paths, settings, nodeMs);
}

async function k8ts(
  program: string,
  words: readonly string[],
  { folder }: ClusterPaths,
  { name }: ClusterSettings,
  timeoutMs: number,
): Promise<void> {
  const flags = [`--name=${name}`, `--data-dir=${folder}`];
  try {
    await runProgram(join(program, "k8ts"), [...words, ...flags], "", { timeoutMs });
  } catch (error) {
    if (!(error instanceof ProgramError) || error.stderr === "") throw error;
    const lines = error.stderr.trim().split("\n");
    const said = lines.filter((line) => line.startsWith("k8ts: ")).at(-1) ?? lines.at(-1) ?? "";
    throw new CommandFailure(said.replace(/^k8ts: /, ""));
  }
}

async function upgradeNodes(context: RollContext, roll: Roll): Promise<void> {
  const { paths, settings, progress } = context;
  const others = (await readNodes(paths)).filter(({ name }) => name !== settings.nodeName);
  const isDone = ({ version, isReady }: NodeState): boolean => version === roll.version && isReady;
  const left = others.filter((node) => !isDone(node));
  let published: Pick<NodeRequest, "program" | "runtimes"> = { program: undefined, runtimes: {} };
  if (left.some(({ isLocal }) => !isLocal)) {
    published = await publishProgram(paths, roll.to, await hasOtherNode(roll));
  }
  for (const [index, node] of left.entries()) {
    const stand = `${others.length - left.length + index + 1} of ${others.length}`;
    await progress.step(`node ${node.name} (${stand})`, () =>
      upgradeNode(context, roll, node, published),
    );
  }
}

/** True if the program comes with another Node.js than the one before it. */
async function hasOtherNode({ to, from }: Roll): Promise<boolean> {
  if (from === undefined) return true;
  const sums = (folder: string) => readFile(join(folder, "bin/node.sha256"), "utf8");
  return (await sums(to)) !== (await sums(from));
}

async function upgradeNode(
  { paths, settings }: RollContext,
  roll: Roll,
  node: NodeState,
  published: Pick<NodeRequest, "program" | "runtimes">,
): Promise<void> {
  // Its agent is in another network, where it could not make the node's again.
  const local = localNodes(paths).find((one) => one.settings.nodeName === node.name);
  if (local) {
    await upgradeMachine(local.paths, local.settings, roll);
    await reported({ paths, settings }, node.name, roll.version);
    return;
  }
  const id = `${roll.id}.${roll.attempt}`;
  const request = {
    ...published,
    id,
    node: node.name,
    version: roll.version,
    folder: basename(roll.to),
    digest: readDigest(roll.to) ?? "",
  };
  await requestUpgrade(paths, request, systemClock.now());
  await upgraded({ paths, settings }, node.name, id, roll.version);
}

/** Waits until the agent of a node that runs the version has reported it; one of an older version never does. */
async function reported(
  { paths }: Pick<RollContext, "paths" | "settings">,
  name: string,
  version: string,
): Promise<void> {
  const until = systemClock.monotonicMs() + reportMs;
  while (systemClock.monotonicMs() < until) {
    const node = (await readNodes(paths)).find((one) => one.name === name);
    if (node === undefined || (node.version === version && node.isReady)) return;
    await systemClock.sleep(pollMs);
  }
}

/** Waits until a node runs the version. */
async function upgraded(
  { paths, settings }: Pick<RollContext, "paths" | "settings">,
  name: string,
  id: string,
  version: string,
): Promise<void> {
  const began = systemClock.monotonicMs();
  let last: NodeState | undefined;
  const stopped = `the upgrade has stopped; to go on: ${ownCommand("upgrade", settings.name)}; to undo it: ${ownCommand("upgrade --rollback", settings.name)}`;
  while (systemClock.monotonicMs() - began < nodeMs) {
    const nodes = await readNodes(paths).catch(() => []);
    last = nodes.find((node) => node.name === name) ?? last;
    if (last?.outcome?.id === id) {
      const { error } = last.outcome;
      if (error !== "") throw new CommandFailure(`node ${name}: ${error}\n  ${stopped}`);
      if (last.version === version && last.isReady) return;
    }
    await systemClock.sleep(pollMs);
  }
  const state = last?.isReady ? "Ready" : "not Ready";
  throw new CommandFailure(
    `node ${name} has not come back with ${version} in ${nodeMs / 1000} s: it is ${state}, with version ${last?.version ?? "unknown"}\n  ${stopped}`,
  );
}

async function migrate({ paths, progress }: RollContext, roll: Roll): Promise<void> {
  if (roll.isRollback || !roll.stored) return;
  for (const resource of changedResources(roll.stored, await readStorageVersions(paths))) {
    await progress.step(`stored version of ${resource}`, () => rewriteObjects(paths, resource));
  }
}

async function cleanUp({ paths }: RollContext, { to, from, version }: Roll): Promise<void> {
  await removePublished(paths);
  await ensureFolder(rollPaths(paths).folder);
  await writeWhole(lastFile(paths), `${JSON.stringify({ from, to, version })}\n`);
  const ofNodes = localNodes(paths).map((node) => currentProgram(node.paths));
  const inUse = [to, from, ...ofNodes].filter((folder) => folder !== undefined);
  await removeOldPrograms(paths, inUse);
}

const lastFile = (paths: ClusterPaths): string => join(rollPaths(paths).folder, "last.json");

/** The program that ran before the last upgrade. */
export async function previousProgram(paths: ClusterPaths): Promise<string | undefined> {
  const text = await readFile(lastFile(paths), "utf8").catch(() => "{}");
  const { from } = JSON.parse(text) as { readonly from?: string };
  return from !== undefined && existsSync(join(from, "k8ts")) ? from : undefined;
}
