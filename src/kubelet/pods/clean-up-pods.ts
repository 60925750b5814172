/** Upstream: pkg/kubelet/kubelet_pods.go (HandlePodCleanups). */

import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import type { BackoffTable } from "../images/backoff-table.ts";
import type { ObservedPod } from "../state/observed-pod.ts";
import type { PodCgroups, PodVolumes, Probes } from "../state/pod-services.ts";
import type { PodTable } from "../state/pod-table.ts";
import { fullName, isStaticPod } from "../state/static-pods.ts";
import type { NodePods } from "./node-pods.ts";
import type { PodResizing } from "./pod-resizing.ts";
import type { RuntimeWatch } from "./runtime-watch.ts";
import type { MirrorPods } from "./static/mirror-pods.ts";

const log = logger("kubelet");

/** Long, because orphans are rare: they remain from times without a kubelet, and after failures. */
const everyMs = 10_000;

interface PodCleanUpOptions {
  readonly pods: Pick<NodePods, "dropFinished" | "adoptOrphan" | "reallocate">;
  readonly table: PodTable;
  readonly watch: Pick<RuntimeWatch, "get" | "all">;
  readonly volumes: Pick<PodVolumes, "podsOnDisk" | "unmount">;
  readonly cgroups: Pick<PodCgroups, "pods" | "remove">;
  readonly probes: Pick<Probes, "keepOnly">;
  readonly mirrors: MirrorPods;
  readonly resizing: Pick<PodResizing, "isDeferred">;
  readonly crashBackoff: Pick<BackoffTable, "collect">;
  readonly clock: Clock;
}

/**
 * Removes the remains of pods that are no longer desired, periodically, until the signal aborts. Start it when all
 * desired pods are known.
 */
export async function cleanUpPods(options: PodCleanUpOptions, signal: AbortSignal): Promise<void> {
  const failed = (error: unknown) => log.error(error, "Failed cleaning pods");
  await repeat(() => cleanUp(options), { clock: options.clock, everyMs, failed }, signal);
}

async function cleanUp(options: PodCleanUpOptions): Promise<void> {
  const { pods, table, watch, probes, volumes, cgroups } = options;
  pods.dropFinished();
  options.crashBackoff.collect();
  for (const observed of watch.all()) {
    if (!table.isDesired(observed.uid) && runs(observed)) pods.adoptOrphan(observed);
  }
  probes.keepOnly(new Set(table.workers.keys()));
  for (const { metadata } of table.active()) {
    if (options.resizing.isDeferred(metadata.uid ?? "")) pods.reallocate(metadata.uid ?? "");
  }
  await settleMirrors(options);
  const isOrphan = (uid: string): boolean =>
    !table.workers.has(uid) && !table.isDesired(uid) && !runs(watch.get(uid));
  for (const uid of await volumes.podsOnDisk()) {
    if (isOrphan(uid)) await attempt("volumes", uid, () => volumes.unmount(uid));
  }
  for (const uid of await cgroups.pods()) {
    if (isOrphan(uid)) await attempt("cgroup", uid, () => cgroups.remove(uid));
  }
}

function runs(observed: ObservedPod | undefined): boolean {
  if (!observed) return false;
  const running = observed.containers.some(({ state }) => state === "running");
  return running || observed.sandboxes.some(({ ready }) => ready);
}

async function attempt(what: string, podUID: string, work: () => Promise<void>): Promise<void> {
  try {
    log.v(2, "removing remains of pod", { what, podUID });
    await work();
  } catch (error) {
    log.error(error, "failed to remove remains of pod", { what, podUID });
  }
}

async function settleMirrors({ table, mirrors }: PodCleanUpOptions): Promise<void> {
  const statics = table.active().filter(isStaticPod);
  const names = new Set(statics.map(fullName));
  for (const mirror of [...table.mirrors.values()]) {
    if (!names.has(fullName(mirror))) await mirrors.delete(mirror);
  }
  for (const pod of statics) await mirrors.ensure(pod, table.mirrorOf(pod));
}
