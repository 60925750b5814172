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

interface Lease {
  readonly metadata: { readonly resourceVersion?: string };
  readonly spec?: { readonly holderIdentity?: string | null; readonly renewTime?: string | null };
}

/** Keeps others from upgrading the same cluster from another machine, until it is disposed of. */
export async function takeRollLease(paths: ClusterPaths): Promise<AsyncDisposable> {
  const holder = `${hostname()}_${process.pid}`;
  const found = await readLease(paths);
  const { holderIdentity, renewTime } = found?.spec ?? {};
  const isOwn = holderIdentity?.startsWith(`${hostname()}_`);
  const age = systemClock.now() - Date.parse(renewTime ?? "1970-01-01T00:00:00Z");
  // The lock of the cluster keeps others of this machine away.
  if (holderIdentity && !isOwn && age < leaseSeconds * 1000) {
    throw new CommandFailure(
      `${holderIdentity.replace(/_\d+$/, "")} is upgrading this cluster; its lease ends ${leaseSeconds} s after that command has`,
    );
  }
  await writeLease(paths, holder, found);
  // The server is away while it is restarted; one renewal that fails is no loss.
  const renew = (): void => void writeLease(paths, holder, undefined).catch(() => undefined);
  const timer = systemClock.every(renewMs, renew, { keepAlive: false });
  return {
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]();
      await kubectl(paths, ["delete", "lease", name, "-n", upgradeNamespace, "--ignore-not-found"]);
    },
  };
}

async function readLease(paths: ClusterPaths): Promise<Lease | undefined> {
  const args = ["get", "lease", name, "-n", upgradeNamespace, "-o", "json", "--ignore-not-found"];
  const text = await mustKubectl(paths, args);
  return text.trim() === "" ? undefined : (JSON.parse(text) as Lease);
}

async function writeLease(
  paths: ClusterPaths,
  holderIdentity: string,
  found: Lease | undefined,
): Promise<void> {
  const renewTime = new Date(systemClock.now()).toISOString().replace("Z", "000Z");
  const { resourceVersion } = found?.metadata ?? {};
  const lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: upgradeNamespace, ...(resourceVersion && { resourceVersion }) },
    spec: { holderIdentity, leaseDurationSeconds: leaseSeconds, renewTime },
  };
  const flags = ["--server-side", "--force-conflicts", "--field-manager=k8ts-upgrade"];
  await mustKubectl(paths, ["apply", ...flags, "-f", "-"], { input: JSON.stringify(lease) });
}
