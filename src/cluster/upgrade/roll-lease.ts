import { hostname } from "node:os";
import { systemClock } from "#/std/time/clock.ts";
import { kubectl, mustKubectl } from "../access/kubectl.ts";
import { upgradeNamespace } from "../access/server-roles.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";

/** Time (seconds) after which the lease of a program that has ended can be taken. */
const leaseSeconds = 60;
const renewMs = 15_000;
const name = "upgrade";
const ownFlag = `--namespace=${upgradeNamespace}`;

interface Lease {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
  readonly spec?: { readonly holderIdentity?: string | null; readonly renewTime?: string | null };
}

/** Keeps others from upgrading the same cluster from another machine, until it is disposed of. */
export async function takeRollLease(paths: ClusterPaths): Promise<AsyncDisposable> {
  const holder = `${hostname()}_${process.pid}`;
  await ensureNamespace(paths);
  const found = await readLease(paths);
  const { holderIdentity, renewTime } = found?.spec ?? {};
  const isOwn = holderIdentity?.startsWith(`${hostname()}_`);
  const age = systemClock.now() - Date.parse(renewTime ?? "1970-01-01T00:00:00Z");
  // The lock of the cluster keeps others of this machine away.
  if (holderIdentity && !isOwn && age < leaseSeconds * 1000) throw taken(holderIdentity);
  await writeLease(paths, holder, found);
  const renew = async (): Promise<void> => {
    // The server is away while it is restarted; one renewal that fails is no loss.
    const present = await readLease(paths);
    if (present?.spec?.holderIdentity === holder) await writeLease(paths, holder, present);
  };
  const timer = systemClock.every(renewMs, () => void renew().catch(() => undefined), {
    keepAlive: false,
  });
  return {
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]();
      // Another machine may have taken it since.
      const present = await readLease(paths).catch(() => undefined);
      if (present?.spec?.holderIdentity !== holder) return;
      await removeLease(paths, present);
    },
  };
}

const taken = (holder: string): CommandFailure =>
  new CommandFailure(
    `${holder.replace(/_\d+$/, "")} is upgrading this cluster; its lease ends ${leaseSeconds} s after that command has`,
  );

/** The server of a version from before there were upgrades does not make it. */
async function ensureNamespace(paths: ClusterPaths): Promise<void> {
  const { code, err } = await kubectl(paths, ["create", "namespace", upgradeNamespace]);
  if (code !== 0 && !err.includes("(AlreadyExists)")) throw new Error(err.trim());
}

/** Removes the lease as it was read, and no later one. */
async function removeLease(paths: ClusterPaths, { metadata }: Lease): Promise<void> {
  const { uid, resourceVersion } = metadata;
  const path = `/apis/coordination.k8s.io/v1/namespaces/${upgradeNamespace}/leases/${name}`;
  const input = JSON.stringify({ preconditions: { uid, resourceVersion } });
  await kubectl(paths, ["delete", "--raw", path, "-f", "-"], { input });
}

async function readLease(paths: ClusterPaths): Promise<Lease | undefined> {
  const text = await mustKubectl(paths, [
    "get",
    "lease",
    name,
    ownFlag,
    "-o",
    "json",
    "--ignore-not-found",
  ]);
  return text.trim() === "" ? undefined : (JSON.parse(text) as Lease);
}

/** Takes the lease as it was found: of two machines that do so at once, one is refused. */
async function writeLease(
  paths: ClusterPaths,
  holderIdentity: string,
  found: Lease | undefined,
): Promise<void> {
  const renewTime = new Date(systemClock.now()).toISOString().replace("Z", "000Z");
  const { uid, resourceVersion } = found?.metadata ?? {};
  const lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: upgradeNamespace, ...(found && { uid, resourceVersion }) },
    spec: { holderIdentity, leaseDurationSeconds: leaseSeconds, renewTime },
  };
  const verb = found ? "replace" : "create";
  const { code, err } = await kubectl(paths, [verb, "-f", "-"], {
    input: JSON.stringify(lease),
  });
  if (code === 0) return;
  if (!/\((AlreadyExists|Conflict|NotFound)\)/.test(err)) throw new Error(err.trim());
  throw taken("another machine");
}
