import { FlagError } from "#/std/flags/flags.ts";
import { systemClock } from "#/std/time/clock.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { hasOwnMember } from "../base/etcd-settings.ts";
import { Progress } from "../base/progress.ts";
import { getSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { ownCluster } from "../command-line/own-cluster.ts";
import { textTable } from "../command-line/text-table.ts";
import type { EtcdMembers } from "../etcd/etcd-members.ts";
import { storeName } from "../plan/store-flags.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import {
  isLeader,
  type MemberReport,
  memberState,
  openMembers,
  readMembers,
} from "../servers/member-report.ts";

/** Limit of the time (ms) in which a member must answer again, and have all entries. */
const recoveryMs = 60_000;
const intervalMs = 250;
/** How many entries a member may be behind the leader: under load it always is. */
const allowedLag = 1_000;

/** `k8ts etcd ls|defrag`: the members of the cluster's etcd. */
export const main = command({
  name: "etcd",
  description: `Looks after the etcd of a cluster with several servers.

  ls       lists its members: version, size of the database, who leads
  defrag   gives free space of the databases back to the disks, one member
           after the other, the leader last; each answers nothing meanwhile`,
  arguments: ["ls|defrag"],
  examples: [
    ["Show the members", "etcd ls"],
    ["Give free space back to the disks", "etcd defrag"],
  ],
  whenInterrupted: () =>
    "a member that has begun ends its work; run the same command again to go on",
  flags: clusterFlags,
  async run({ values, args: [verb = ""] }) {
    const paths = pathsOf(values);
    const settings = getSettings(paths);
    if (!hasOwnMember(settings)) {
      throw new CommandFailure(
        `this cluster has its objects in ${storeName(settings.etcd)}, whose members k8ts does not run`,
      );
    }
    using members = openMembers(paths, settings);
    if (verb === "ls" || verb === "list") process.stdout.write(table(await readMembers(members)));
    else if (verb === "defrag") {
      await using _lock = await ownCluster(settings.name, "etcd defrag");
      await defragment(members);
    } else throw new FlagError(`unknown subcommand "${verb}": ls or defrag`);
    return 0;
  },
});

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

function table(reports: readonly MemberReport[]): string {
  const rows = reports.map((report) => {
    const { member, status } = report;
    return [
      member.name || "(joining)",
      member.peerUrls[0] ?? "",
      memberState(report),
      status?.version ?? "",
      status ? mebibytes(status.dbSizeBytes) : "",
      status ? mebibytes(status.usedBytes) : "",
    ];
  });
  return textTable([["NAME", "ADDRESS", "STATE", "VERSION", "SIZE", "IN USE"], ...rows]);
}

/** The leader is last, so that at most one election is caused. */
async function defragment(members: EtcdMembers): Promise<void> {
  const progress = new Progress();
  const first = await readMembers(members);
  const order = [...first.filter((one) => !isLeader(one)), ...first.filter(isLeader)];
  for (const { member, status } of order) {
    checkAll(await readMembers(members));
    await progress.step(`defragmenting ${member.name}`, async () => {
      await members.defragment(member);
      await recovered(members, member.id);
    });
    const after = await members.status(member);
    if (status && after) {
      progress.print(`    ${mebibytes(status.dbSizeBytes)} → ${mebibytes(after.dbSizeBytes)}`);
    }
  }
}

/** While one does nothing, the others must be a majority. */
function checkAll(reports: readonly MemberReport[]): void {
  const silent = reports.filter(({ status }) => !status).map(({ member }) => member.name);
  if (silent.length === 0) return;
  throw new CommandFailure(
    `${silent.join(", ")} does not answer: with another member busy, there might be no majority; start it first`,
  );
}

async function recovered(members: EtcdMembers, id: bigint): Promise<void> {
  const endMs = systemClock.monotonicMs() + recoveryMs;
  for (;;) {
    const reports = await readMembers(members);
    const newest = Math.max(...reports.map(({ status }) => status?.raftIndex ?? 0));
    const own = reports.find(({ member }) => member.id === id)?.status;
    if (own && newest - own.appliedIndex <= allowedLag) return;
    if (systemClock.monotonicMs() > endMs) throw new CommandFailure("it has not caught up");
    await systemClock.sleep(intervalMs);
  }
}
