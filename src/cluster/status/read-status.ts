import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { systemClock } from "#/std/time/clock.ts";
import { kubectl } from "../access/kubectl.ts";
import { hasOwnMember } from "../base/etcd-settings.ts";
import { findOperation } from "../base/operation.ts";
import { ownCommand } from "../base/own-command.ts";
import { ownVersion } from "../base/own-version.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { type LocalNode, localNodes } from "../local-nodes/local-nodes.ts";
import { hasAddress, missingAddressText } from "../machine/node-address.ts";
import type { ListedObject } from "../parts/feature.ts";
import { memberState, openMembers, readMembers } from "../servers/member-report.ts";
import { failingParts } from "../supervision/failing-parts.ts";
import { programs } from "../supervision/programs.ts";
import { startedVersion } from "../supervision/started-with.ts";
import { type Supervisor, supervisorOf } from "../supervision/supervisor.ts";
import { type Roll, rollPaths } from "../upgrade/roll.ts";
import { certificatesStatus } from "./certificates-status.ts";
import {
  type ClusterStatus,
  type DiskStatus,
  isHealthy,
  type MemberStatus,
  type NodeReport,
  nodeStatus,
  type ProgramStatus,
  podsStatus,
} from "./cluster-status.ts";
import { featureResources, featuresOf } from "./features.ts";
import type { PodReport } from "./pod-problem.ts";

/** Reads the report of `k8ts status`. Never fails: read errors are part of the report. */
export async function readStatus(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<ClusterStatus> {
  const isServer = settings.role === "server";
  const api = isServer ? await readApi(paths) : { objects: [], error: null, version: null };
  const ofKind = <T>(kind: string): T[] =>
    api.objects.filter((object) => object.kind === kind) as T[];
  const status = {
    name: settings.name,
    role: settings.role,
    server: settings.server,
    folder: paths.folder,
    version: ownVersion(),
    kubernetesVersion: api.version,
    runningVersion: (await startedVersion(paths, isServer ? "server" : "agent")) ?? null,
    unfinished: await unfinishedOf(paths, settings),
    programs: [
      ...(await programsOf(paths, settings)),
      ...(await Promise.all(localNodes(paths).map(programsOfNode))).flat(),
    ],
    failing: [
      ...failingOf(paths, settings, null),
      ...localNodes(paths).flatMap((node) =>
        failingOf(node.paths, node.settings, node.settings.nodeName),
      ),
    ],
    apiError: api.error,
    addressError: addressError(settings),
    nodes: ofKind<NodeReport>("Node").map(nodeStatus),
    members: await membersOf(paths, settings),
    pods: podsStatus(ofKind<PodReport>("Pod"), systemClock.now()),
    disabled: settings.disabled,
    features: isServer && api.error === null ? featuresOf(api.objects, settings) : [],
    disk: await diskStatus(paths.folder),
    certificates: certificatesStatus(paths.pki, systemClock.now()),
  };
  return { ...status, healthy: isHealthy(status) };
}

/** None if the list can't be read: the problem of the API server names the cause. */
async function membersOf(paths: ClusterPaths, settings: ClusterSettings): Promise<MemberStatus[]> {
  if (settings.role !== "server" || !hasOwnMember(settings)) return [];
  try {
    using members = openMembers(paths, settings);
    return (await readMembers(members)).map((report) => ({
      name: report.member.name,
      state: memberState(report),
      address: new URL(report.member.peerUrls[0] ?? "").hostname,
      databaseMiB: Math.round((report.status?.dbSizeBytes ?? 0) / 2 ** 20),
    }));
  } catch {
    return [];
  }
}

/** What was interrupted, on this machine or in the whole cluster. */
async function unfinishedOf(
  paths: ClusterPaths,
  { name }: ClusterSettings,
): Promise<string | null> {
  const roll = await findOperation(rollPaths(paths));
  if (roll) {
    const { version, isRollback } = roll.state as Roll;
    const [on, back] = ["upgrade", "upgrade --rollback"].map((words) => ownCommand(words, name));
    const next = isRollback ? `to go on: ${back}` : `to go on: ${on}; to undo it: ${back}`;
    return `an upgrade to ${version} stopped at "${roll.step}"; ${next}`;
  }
  const found = await findOperation(paths);
  if (!found) return null;
  return `"${found.name}" stopped at "${found.step}"; to go on: ${ownCommand("up", name)}`;
}

function programsOf(paths: ClusterPaths, settings: ClusterSettings): Promise<ProgramStatus[]> {
  const supervisor = supervisorOf(paths, settings.name);
  return Promise.all(programs(paths, settings).map(({ name }) => programStatus(supervisor, name)));
}

async function programsOfNode({ paths, settings }: LocalNode): Promise<ProgramStatus[]> {
  const all = await programsOf(paths, settings);
  return all.map((program) => ({ ...program, node: settings.nodeName }));
}

function failingOf(
  paths: ClusterPaths,
  settings: ClusterSettings,
  node: string | null,
): ClusterStatus["failing"] {
  return programs(paths, settings).flatMap(({ name }) =>
    failingParts(paths, name).map(({ part, error }) => ({ part, node, error })),
  );
}

/** A given address stays in use even if the machine has lost it. */
function addressError({ isNodeIpFixed, networkNamespace, nodeIp }: ClusterSettings): string | null {
  const isGone = isNodeIpFixed && !networkNamespace && !hasAddress(nodeIp);
  return isGone ? missingAddressText(nodeIp) : null;
}

interface ApiReport {
  readonly objects: readonly ListedObject[];
  readonly error: string | null;
  readonly version: string | null;
}

const kinds = ["nodes", "pods", ...featureResources].join(",");

async function readApi(paths: ClusterPaths): Promise<ApiReport> {
  const limit = "--request-timeout=5s";
  const version = await kubectl(paths, ["get", "--raw", "/version", limit]);
  if (version.code !== 0) return { objects: [], error: lastLine(version.err), version: null };
  const { gitVersion } = JSON.parse(version.out) as { gitVersion: string };
  const found = await kubectl(paths, ["get", kinds, "-A", "-o", "json", limit]);
  const list = found.out === "" ? {} : (JSON.parse(found.out) as { items?: ListedObject[] | null });
  const error = found.code === 0 ? null : lastLine(found.err);
  return { objects: list.items ?? [], error, version: gitVersion };
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";

async function programStatus(supervisor: Supervisor, name: string): Promise<ProgramStatus> {
  const { pid = null } = await supervisor.state(name);
  return { name, node: null, pid, memoryMiB: pid === null ? 0 : memoryMiB(pid) };
}

function memoryMiB(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0; // It has just ended.
  }
}

/** As in df: blocks reserved for root are neither used nor free. */
async function diskStatus(folder: string): Promise<DiskStatus> {
  const { blocks, bfree, bavail, bsize } = await statfs(folder);
  const used = blocks - bfree;
  const share = used + bavail === 0 ? 0 : used / (used + bavail);
  return { freeGiB: Math.floor((bavail * bsize) / 2 ** 30), usedPercent: Math.ceil(share * 100) };
}
