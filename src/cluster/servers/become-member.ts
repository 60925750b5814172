import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, saveSettings } from "../base/settings.ts";
import { EtcdMembers, NotCaughtUp } from "../etcd/etcd-members.ts";
import { etcdProgram, memberFolder, peerUrl } from "../etcd/member-launch.ts";
import { planMember } from "../etcd/plan-member.ts";
import { writeMemberFiles } from "../etcd/write-member-files.ts";
import { programs } from "../supervision/programs.ts";
import { supervisorOf } from "../supervision/supervisor.ts";
import { memberAddresses } from "./member-addresses.ts";

const intervalMs = 250;

interface MemberOptions {
  readonly timeoutMs: number;
  readonly clock?: Clock;
}

/**
 * Makes the etcd of this server a member that votes, step by step. Each step is decided by what is there: after an interruption
 * at any point, calling this again goes on.
 */
export async function becomeMember(
  paths: ClusterPaths,
  settings: ClusterSettings,
  { timeoutMs, clock = systemClock }: MemberOptions,
): Promise<ClusterSettings> {
  const endMs = clock.monotonicMs() + timeoutMs;
  using members = new EtcdMembers(paths, memberAddresses(paths, settings));
  let current = settings;
  for (let waitsFor = "etcd"; ; ) {
    const step = await nextStep(paths, current, members);
    switch (step.do) {
      case "nothing":
        return await saved(paths, { ...current, etcd: { ...current.etcd, isJoining: false } });
      case "refuse":
        throw new CommandFailure(step.reason);
      case "remove":
        await members.remove(step.member);
        break;
      case "add":
        // The data of a member that was removed are of no use to another.
        await rm(memberFolder(paths), { recursive: true, force: true });
        await members.addLearner(peerUrl(current.nodeIp));
        break;
      case "start":
        current = await start(paths, current, step.others);
        waitsFor = "the first answer of this machine's etcd";
        break;
      case "promote":
        waitsFor = "this machine's etcd to catch up";
        await members.promote(step.member).catch((error: unknown) => {
          if (!(error instanceof NotCaughtUp)) throw error;
        });
        break;
      case "wait":
        waitsFor = `another server that joins, at ${step.member.peerUrls[0]}`;
        break;
      default:
        step satisfies never;
    }
    if (clock.monotonicMs() > endMs) {
      throw new CommandFailure(`waited ${timeoutMs / 1000} s for ${waitsFor}`);
    }
    await clock.sleep(intervalMs);
  }
}

async function nextStep(paths: ClusterPaths, settings: ClusterSettings, members: EtcdMembers) {
  const list = await members.list();
  const states = await Promise.all(
    list.map(async (member) => ({ id: member.id, status: await members.status(member) })),
  );
  return planMember({
    name: settings.nodeName,
    peerUrl: peerUrl(settings.nodeIp),
    hasData: existsSync(join(memberFolder(paths), "member")),
    members: list,
    healthy: new Set(states.filter(({ status }) => status).map(({ id }) => id)),
  });
}

/** Starts the own member; its list of the others must be the present one. */
async function start(
  paths: ClusterPaths,
  settings: ClusterSettings,
  others: readonly string[],
): Promise<ClusterSettings> {
  const supervisor = supervisorOf(paths, settings.name);
  const { pid } = await supervisor.state(etcdProgram);
  if (pid !== undefined) return settings;
  const informed = await saved(paths, {
    ...settings,
    etcd: { ...settings.etcd, joined: others },
  });
  await writeMemberFiles(paths, informed);
  const all = programs(paths, informed);
  await supervisor.install(all);
  for (const program of all) if (program.name === etcdProgram) await supervisor.start(program);
  return informed;
}

async function saved(paths: ClusterPaths, settings: ClusterSettings): Promise<ClusterSettings> {
  await saveSettings(paths, settings);
  return settings;
}
