import type { Clock } from "#/std/time/clock.ts";
import type { KubeSchedulerConfiguration } from "./config/configuration.ts";
import { ConfigurationError } from "./config/load-configuration.ts";
import { extenderName } from "./extender/ask-extenders.ts";
import type { Profile } from "./framework/profile.ts";
import type { SchedulerMetrics } from "./metrics.ts";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";

interface QueueParts {
  readonly config: KubeSchedulerConfiguration;
  readonly clock: Clock;
  readonly metrics: SchedulerMetrics;
  readonly maxUnschedulableMs?: number;
}

/** The queue of several profiles, which must have the same QueueSort. Throws ConfigurationError. */
export function openQueue(
  profiles: readonly Profile[],
  { config, clock, metrics, maxUnschedulableMs }: QueueParts,
): SchedulingQueue {
  // Extenders have no queueing hints, so every event retries the pods that they rejected.
  const asPlugins = config.extenders?.length ? [{ name: extenderName }] : [];
  const byName = new Map(profiles.map(({ name, plugins }) => [name, [...plugins, ...asPlugins]]));
  const less = profiles[0]?.queueSort.less;
  if (less === undefined) throw new ConfigurationError("no queue sort plugin is enabled");
  return new SchedulingQueue({
    clock,
    plugins: (schedulerName) => byName.get(schedulerName) ?? [],
    allPlugins: [...byName.values()].flat(),
    less,
    backoff: {
      initialMs: config.podInitialBackoffSeconds * 1000,
      maxMs: config.podMaxBackoffSeconds * 1000,
    },
    ...(maxUnschedulableMs === undefined ? {} : { maxUnschedulableMs }),
    onIncoming: (room, event) => metrics.incoming(room, event),
  });
}

/** Resources managed by extenders are not counted by NodeResourcesFit. */
export function withIgnoredResources(
  config: KubeSchedulerConfiguration,
): KubeSchedulerConfiguration {
  const ignored = (config.extenders ?? []).flatMap(({ managedResources = [] }) =>
    managedResources.filter((one) => one.ignoredByScheduler).map(({ name }) => name),
  );
  if (ignored.length === 0) return config;
  const profiles = config.profiles.map((profile) => ({
    ...profile,
    pluginConfig: profile.pluginConfig.map((one) => {
      if (one.name !== "NodeResourcesFit") return one;
      const { ignoredResources = [] } = (one.args ?? {}) as { ignoredResources?: string[] };
      return { ...one, args: { ...one.args, ignoredResources: [...ignoredResources, ...ignored] } };
    }),
  }));
  return { ...config, profiles };
}
