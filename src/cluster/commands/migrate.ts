import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { FlagError, type FlagValues } from "#/std/flags/flags.ts";
import { findUserFile } from "../access/user-access.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { etcdClientPort, etcdPeerPort, hasOwnMember } from "../base/etcd-settings.ts";
import { findOperation, runOperation } from "../base/operation.ts";
import { ownCommand } from "../base/own-command.ts";
import { type ClusterPaths, nameOption } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { type ClusterSettings, getSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { ownCluster } from "../command-line/own-cluster.ts";
import { EtcdMembers } from "../etcd/etcd-members.ts";
import { clientUrl } from "../etcd/member-launch.ts";
import { missingEtcdPackages } from "../etcd/write-member-files.ts";
import { PreflightError, portProblem } from "../machine/preflight.ts";
import { migrations } from "../migrate/index.ts";
import { deleteKept, keptFolder } from "../migrate/kept-store.ts";
import { openEtcd } from "../migrate/own-member.ts";
import { memberFlags, storeName } from "../plan/store-flags.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { writeClusterFiles } from "../programs/write-cluster-files.ts";
import { startCluster } from "./start-cluster.ts";

/** How long the members of etcd have to answer (ms). */
const majorityMs = 5_000;

const migrateFlags = {
  ...clusterFlags,
  "to-etcd": { type: "bool", help: "Move the objects from the embedded store to etcd." },
  "to-embedded": { type: "bool", help: "Move the objects from etcd to the embedded store." },
  "to-single-server": {
    type: "bool",
    help: "Make a cluster of this server alone, after most servers were lost for ever.",
  },
  finish: {
    type: "bool",
    help: "Delete the store from before the last migration.",
  },
  "dry-run": { type: "bool", help: "Check whether it is possible, and print what would happen." },
  yes: { type: "bool", help: "For --to-single-server: the other servers are gone for ever." },
  ...memberFlags,
  "no-install": { type: "bool", help: "Never install packages; fail if some are missing." },
  timeout: { type: "duration", default: 120_000, help: "How long to wait for each program." },
} as const;

type Flags = FlagValues<typeof migrateFlags>;

/** `k8ts migrate`: moves the objects of a cluster to another store. */
export const main = command({
  name: "migrate",
  startsPrograms: true,
  description: `Moves the objects of the cluster to another store. All are copied while the cluster is used;
then the server stops, the last writes are repeated and all keys are compared, and it starts again with the other
store: for a few seconds it does not answer. Revisions stay as they are, so that clients go on where they were. The old
store is kept until --finish. A migration that is interrupted is ended by the same command, or by the next \`up\`.`,
  examples: [
    ["Let the cluster have several servers", "migrate --to-etcd"],
    ["See first what happens", "migrate --to-etcd --dry-run"],
    ["Go back, once there is one server again", "migrate --to-embedded"],
    ["Delete what a migration has left", "migrate --finish"],
    ["Save what is left when most servers were lost", "migrate --to-single-server --yes"],
  ],
  whenInterrupted: (cluster) =>
    `nothing is lost; to continue: the same command, or ${ownCommand("up", cluster)}`,
  flags: migrateFlags,
  async run({ values }) {
    const paths = pathsOf(values);
    await using _lock = await ownCluster(values.name, "migrate");
    const settings = getSettings(paths);
    if (settings.role !== "server") {
      throw new CommandFailure("the store is changed on the machine of a server");
    }
    if (values.finish) return await finish(paths, settings);
    await migrate(paths, settings, values);
    return 0;
  },
});

type Name = keyof typeof migrations;

/** Rejects if a migration is not possible; returns what it will do. */
type Check = (
  paths: ClusterPaths,
  settings: ClusterSettings,
  flags: Flags,
) => Promise<readonly string[]>;

const checks: Readonly<Record<Name, Check>> = {
  "to-etcd": checkToEtcd,
  "to-embedded": checkToEmbedded,
  "to-single-server": checkToSingle,
};

async function migrate(paths: ClusterPaths, settings: ClusterSettings, flags: Flags) {
  const name = chosen(flags);
  const operation = migrations[name];
  const progress = new Progress();
  const isBegun = (await findOperation(paths))?.name === operation.name;
  if (!isBegun) {
    const plan = await checks[name](paths, settings, flags);
    for (const line of plan) progress.print(`  ${line}`);
  }
  if (flags["dry-run"]) return;
  const args = {
    etcd: { binary: flags["etcd-binary"] === "" ? undefined : resolve(flags["etcd-binary"]) },
    noInstall: flags["no-install"],
    timeoutMs: flags.timeout,
  };
  await runOperation(paths, operation, args, progress);
  const moved = getSettings(paths);
  const user = await findUserFile("");
  await writeClusterFiles(paths, moved);
  await startCluster(progress, paths, moved, { user, timeoutMs: flags.timeout });
  if (!existsSync(keptFolder(paths))) return;
  const after = ownCommand(`migrate --finish${nameOption(settings.name)}`);
  progress.print(`  the store from before is kept in ${keptFolder(paths)}; to delete it: ${after}`);
}

function chosen(flags: Flags): Name {
  const [name, ...more] = (Object.keys(migrations) as Name[]).filter((one) => flags[one]);
  if (name && more.length === 0) return name;
  throw new FlagError("give one of --to-etcd, --to-embedded, --to-single-server, --finish");
}

async function finish(paths: ClusterPaths, settings: ClusterSettings): Promise<number> {
  const pending = await findOperation(paths);
  if (pending) {
    throw new CommandFailure(`"${pending.name}" has not ended: run it again, or \`up\``);
  }
  await deleteKept(paths, settings);
  return 0;
}

function checkNothingKept(paths: ClusterPaths): void {
  if (!existsSync(keptFolder(paths))) return;
  throw new CommandFailure(
    `the store from before an earlier migration is still in ${keptFolder(paths)}: delete it first, by --finish`,
  );
}

async function checkToEtcd(
  paths: ClusterPaths,
  settings: ClusterSettings,
  flags: Flags,
): Promise<readonly string[]> {
  if (settings.etcd) {
    throw new CommandFailure(`the cluster has its objects in ${storeName(settings.etcd)} already`);
  }
  checkNothingKept(paths);
  const target = { ...settings, etcd: { binary: flags["etcd-binary"] || undefined } };
  const missing = missingEtcdPackages(target);
  if (missing.length > 0 && flags["no-install"]) {
    throw new CommandFailure(`these packages are missing: ${missing.join(" ")}`);
  }
  if (!settings.networkNamespace) {
    const ports = await Promise.all([
      portProblem(etcdClientPort, "etcd"),
      portProblem(etcdPeerPort, "etcd"),
    ]);
    const problems = ports.filter((problem) => problem !== undefined);
    if (problems.length > 0) throw new PreflightError(problems);
  }
  return [
    ...(missing.length > 0 ? [`installing ${missing.join(", ")} with apt-get`] : []),
    `copying all objects from ${storeName(undefined)} to ${storeName(target.etcd)}, while the cluster is used`,
    ...commonPlan,
  ];
}

const commonPlan = [
  "stopping the server, repeating the last writes, comparing all keys, starting it again",
];

async function checkToEmbedded(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<readonly string[]> {
  if (!hasOwnMember(settings)) {
    throw new CommandFailure(
      settings.etcd
        ? `the cluster has its objects in ${storeName(settings.etcd)}, which others may use: save it (k8ts snapshot save), and restore it elsewhere`
        : "the cluster has its objects in the embedded store already",
    );
  }
  checkNothingKept(paths);
  using members = new EtcdMembers(paths, [clientUrl(settings.nodeIp)]);
  const all = await members.list();
  if (all.length > 1) {
    const names = all.map(({ name }) => name).filter((name) => name !== settings.nodeName);
    throw new CommandFailure(
      `the embedded store has one server, but the cluster has also ${names.join(", ")}: remove them first, by \`k8ts down --purge\` on each`,
    );
  }
  return [
    `copying all objects from ${storeName(settings.etcd)} to ${storeName(undefined)}, while the cluster is used`,
    ...commonPlan,
  ];
}

async function checkToSingle(
  paths: ClusterPaths,
  settings: ClusterSettings,
  flags: Flags,
): Promise<readonly string[]> {
  if (!hasOwnMember(settings)) {
    throw new CommandFailure(`the cluster has its objects in ${storeName(settings.etcd)}`);
  }
  if (await hasMajority(paths, settings)) {
    throw new CommandFailure(
      "most servers run, and the store works: to remove others, run `k8ts leave` on them",
    );
  }
  if (!flags.yes && !flags["dry-run"]) {
    throw new CommandFailure(
      "this server becomes a cluster of its own, with what its etcd has: writes that had not reached it are lost, and another server that still runs would go on as a second cluster with the same nodes. If all others are gone for ever, give --yes",
    );
  }
  return [
    "stopping the server and its etcd, which forgets all other members, and starting both again",
    "the other servers must never start again: run `k8ts down --purge` on those that are left",
  ];
}

/** Whether most members run: a read of the newest state needs them. */
async function hasMajority(paths: ClusterPaths, settings: ClusterSettings): Promise<boolean> {
  await using etcd = await openEtcd(paths, settings);
  return await etcd.health(majorityMs).then(
    () => true,
    () => false,
  );
}
