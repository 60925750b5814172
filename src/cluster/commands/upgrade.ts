import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { FlagValues } from "#/std/flags/flags.ts";
import { systemClock } from "#/std/time/clock.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { findOperation, runOperation } from "../base/operation.ts";
import { ownCommand } from "../base/own-command.ts";
import { ownVersion } from "../base/own-version.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { type ClusterSettings, getSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { ownCluster } from "../command-line/own-cluster.ts";
import { localNodes } from "../local-nodes/local-nodes.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { type InstalledProgram, installProgram, programIn } from "../release/install-program.ts";
import { currentProgram, ownRoot, switchProgram } from "../release/versions.ts";
import { checkRunning } from "../supervision/check-running.ts";
import { unreachable, upgradeProblems } from "../upgrade/check-upgrade.ts";
import { readDeprecated, readNodes, readVersion } from "../upgrade/read-cluster.ts";
import { previousProgram, type Roll, rollOperation, rollPaths } from "../upgrade/roll.ts";
import { takeRollLease } from "../upgrade/roll-lease.ts";
import { runningRoot } from "../upgrade/running-root.ts";
import { upgradeThisNode } from "./upgrade-node.ts";

const upgradeFlags = {
  ...clusterFlags,
  rollback: { type: "bool", help: "Go back to the version before the last upgrade." },
  "dry-run": { type: "bool", help: "Check only, and say what would be done." },
  "ignore-removed-apis": {
    type: "bool",
    help: "Upgrade although APIs are in use that the new version removes.",
  },
  "this-node": { type: "bool", hidden: true, help: "Make this program the one of this machine." },
  from: { type: "string", hidden: true, help: "For --this-node: the program before it." },
  request: { type: "string", hidden: true, help: "For --this-node: the name of the request." },
} as const;

type Flags = FlagValues<typeof upgradeFlags>;

/** `k8ts upgrade`: another version for a cluster that runs. */
export const main = command({
  name: "upgrade",
  description: `Has a cluster run another version of k8ts: that of a tarball of a release, of a folder, or of this
program. It checks whether the cluster can be upgraded, makes a snapshot, installs the program beside the old one, and
restarts the server and agent of this machine, then those of the other nodes, one by one. Containers go on. If the new
version does not work on a machine, the old one runs there again, and the upgrade stops. An upgrade that was
interrupted is continued by the same command.`,
  arguments: ["[TARBALL|FOLDER]"],
  examples: [
    ["Upgrade to the version of a tarball", "upgrade k8ts-0.2.0-linux-x64.tar.gz"],
    ["Upgrade to the version of this program", "upgrade"],
    ["Check whether that is possible", "upgrade --dry-run"],
    ["Go back to the version before", "upgrade --rollback"],
  ],
  whenInterrupted: (cluster) =>
    `to continue: ${ownCommand("upgrade", cluster)}; to undo it: ${ownCommand("upgrade --rollback", cluster)}`,
  flags: upgradeFlags,
  async run({ values, args: [source = ""] }) {
    const paths = pathsOf(values);
    const settings = getSettings(paths);
    if (values["this-node"]) {
      await upgradeThisNode(paths, settings.name, values);
      return 0;
    }
    await checkRunning(paths, settings, settings.role === "server" ? "server" : "agent");
    if (settings.role === "agent") return await upgradeAgent(paths, settings, source, values);
    return await upgradeCluster(paths, settings, source, values);
  },
});

/** A machine that has joined is upgraded from the server's; on it, by hand. */
async function upgradeAgent(
  paths: ClusterPaths,
  { name }: ClusterSettings,
  source: string,
  { rollback }: Flags,
): Promise<number> {
  if (rollback)
    throw new CommandFailure("upgrade this machine to the version before, by its tarball");
  const { folder } = await installProgram(paths, source || ownRoot);
  const flags = [`--name=${name}`, `--data-dir=${paths.folder}`];
  return await run(folder, ["upgrade", "--this-node", ...flags]);
}

async function upgradeCluster(
  paths: ClusterPaths,
  settings: ClusterSettings,
  source: string,
  flags: Flags,
): Promise<number> {
  const progress = new Progress();
  const found = await findRoll(paths);
  const program = await programOf(paths, found, source, flags.rollback);
  // The new version knows what it needs. Back, the newer one knows how it came here.
  if (!flags.rollback && program.folder !== ownRoot) {
    const words = [
      "upgrade",
      program.folder,
      `--name=${settings.name}`,
      `--data-dir=${paths.folder}`,
    ];
    const more = (["dry-run", "ignore-removed-apis"] as const).filter((name) => flags[name]);
    return await run(program.folder, [...words, ...more.map((name) => `--${name}`)]);
  }
  await using _lock = await ownCluster(`${settings.name}.upgrade`, "upgrade");
  if (!found && (await isAllThere(paths, program))) {
    progress.print(`The cluster runs k8ts ${program.version} already.`);
    return 0;
  }
  const isNew = found?.to !== program.folder || found.isRollback !== flags.rollback;
  const roll = isNew ? await newRoll(paths, settings, program, flags.rollback, found) : found;
  await check(paths, settings, roll, program, flags);
  const from = roll.from === undefined ? "a version that is gone" : ownVersion(roll.from);
  progress.print(`  cluster ${settings.name}: from ${from} to ${roll.version}`);
  if (flags["dry-run"]) return 0;
  // Those of a version before there were upgrades run the server's program: they keep theirs until it is their turn.
  for (const node of localNodes(paths)) {
    if (roll.from && !currentProgram(node.paths)) await switchProgram(node.paths, roll.from);
  }
  await using _lease = await takeRollLease(paths);
  if (isNew) await rm(join(rollPaths(paths).folder, "operation.json"), { force: true });
  else await remember(paths, { ...roll, attempt: roll.attempt + 1 });
  await runOperation(
    rollPaths(paths),
    rollOperation({ paths, settings, progress }),
    roll,
    progress,
  );
  progress.print(`\nThe cluster runs k8ts ${roll.version}.${wayBack(settings, roll)}`);
  return 0;
}

/** True if the whole cluster runs a program. */
async function isAllThere(paths: ClusterPaths, { folder, version }: InstalledProgram) {
  if (currentProgram(paths) !== folder) return false;
  return (await readNodes(paths)).every((node) => node.version === version);
}

const wayBack = ({ name }: ClusterSettings, { isRollback, from }: Roll): string =>
  isRollback || from === undefined ? "" : ` To go back: ${ownCommand("upgrade --rollback", name)}`;

/** The upgrade that has not ended. */
async function findRoll(paths: ClusterPaths): Promise<Roll | undefined> {
  return (await findOperation(rollPaths(paths)))?.state as Roll | undefined;
}

/** Changes the state of an upgrade that is continued. */
async function remember(paths: ClusterPaths, state: Roll): Promise<void> {
  const { writeWhole } = await import("../base/write-file.ts");
  const journal = await findOperation(rollPaths(paths));
  const file = join(rollPaths(paths).folder, "operation.json");
  await writeWhole(file, `${JSON.stringify({ ...journal, state })}\n`);
}

/** The program that the cluster is to run. */
async function programOf(
  paths: ClusterPaths,
  found: Roll | undefined,
  source: string,
  isRollback: boolean,
): Promise<InstalledProgram> {
  if (isRollback) {
    const back = found?.isRollback ? found.to : (found?.from ?? (await previousProgram(paths)));
    if (back === undefined) throw new CommandFailure("there is no version to go back to");
    return programIn(back);
  }
  if (source === "" && found && !found.isRollback) return programIn(found.to);
  return await installProgram(paths, source || ownRoot);
}

async function newRoll(
  paths: ClusterPaths,
  { name }: ClusterSettings,
  { folder, version }: InstalledProgram,
  isRollback: boolean,
  found: Roll | undefined,
): Promise<Roll> {
  const id = `${version}-${systemClock.now().toString(36)}`;
  const running = currentProgram(paths) ?? (await runningRoot(paths, name));
  // What an upgrade that was given up had begun with is still the version to go back to.
  const before = (!isRollback && found?.from) || running;
  const from =
    before === undefined || before === folder
      ? undefined
      : await installProgram(paths, before).then((one) => one.folder);
  return { id, attempt: 0, to: folder, version, from, isRollback };
}

async function check(
  paths: ClusterPaths,
  { nodeName }: ClusterSettings,
  roll: Roll,
  program: InstalledProgram,
  flags: Flags,
): Promise<void> {
  if (roll.isRollback) return;
  const nodes = await readNodes(paths);
  const facts = {
    runs: await readVersion(paths),
    next: program.kubernetesVersion,
    nodes,
    deprecated: flags["ignore-removed-apis"] ? [] : await readDeprecated(paths),
  };
  const others = nodes.filter(({ name }) => name !== nodeName);
  const old = unreachable(others).map(
    (name) =>
      `node ${name} runs a version that can't be upgraded from here: run on it: k8ts upgrade TARBALL`,
  );
  const problems = [...upgradeProblems(facts), ...old];
  if (problems.length > 0) {
    throw new CommandFailure(["the cluster can't be upgraded:", ...problems].join("\n  - "));
  }
}

/** Runs a command of another version, in this one's place. */
async function run(folder: string, words: readonly string[]): Promise<number> {
  const child = spawn(join(folder, "k8ts"), words, { stdio: "inherit" });
  const [code] = await once(child, "close");
  return code ?? 1;
}
