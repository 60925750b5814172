/** Upstream: pkg/kubelet/config. */
import { type Pod, pods as podResource } from "#/api/core/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { parseDuration } from "#/std/go/duration.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import type { PodTable } from "../state/pod-table.ts";
import type { NodePods } from "./node-pods.ts";
import { followStaticPodFiles } from "./static/static-pod-files.ts";

interface PodSources {
  readonly config: Pick<KubeletConfiguration, "staticPodPath" | "fileCheckFrequency">;
  /** Undefined without an API server. */
  readonly informers: Informers | undefined;
  readonly nodeName: string;
  readonly pods: Pick<NodePods, "set" | "delete" | "complete">;
  readonly table: Pick<PodTable, "isDesired">;
  readonly clock: Clock;
}

/** Passes all desired pods to their workers, now and when they change. Resolves when all current ones are known. */
export async function followPods(sources: PodSources, signal: AbortSignal): Promise<void> {
  if (sources.config.staticPodPath) await followFiles(sources, signal);
  if (sources.informers) await followApi(sources, sources.informers);
  sources.pods.complete();
}

async function followApi({ nodeName, pods }: PodSources, informers: Informers): Promise<void> {
  const informer = informers.informer(podResource, { fieldSelector: `spec.nodeName=${nodeName}` });
  await informers.synced();
  informer.subscribe({
    added: (pod) => pods.set(pod),
    updated: (_, pod) => pods.set(pod),
    deleted: (pod) => pods.delete(pod),
  });
}

async function followFiles(
  { config, nodeName, pods, table, clock }: PodSources,
  signal: AbortSignal,
): Promise<void> {
  const first = Promise.withResolvers<void>();
  let known: readonly Pod[] = [];
  const changed = (now: readonly Pod[]): void => {
    const uids = new Set(now.map(({ metadata }) => metadata.uid));
    for (const pod of known) if (!uids.has(pod.metadata.uid)) pods.delete(pod);
    for (const pod of now) if (!table.isDesired(pod.metadata.uid ?? "")) pods.set(pod);
    known = now;
    first.resolve();
  };
  const path = config.staticPodPath ?? "";
  const everyMs = parseDuration(config.fileCheckFrequency);
  void followStaticPodFiles({ path, nodeName, clock, everyMs, changed }, signal);
  await first.promise;
}
