/** Upstream: sigs.k8s.io/metrics-server, pkg/storage/node.go, pkg/storage/pod.go. */
import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { NodeMetrics, PodMetrics } from "#/api/metrics/v1beta1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { formatDuration } from "#/std/go/duration.ts";
import type { History, Pair } from "./history.ts";
import { type Usage, usageBetween } from "./point.ts";

const apiVersion = "metrics.k8s.io/v1beta1";

/** What a usage object repeats of its node or Pod. */
export interface Measured {
  readonly metadata: ObjectMeta;
}

/** The usage of a node; undefined if it is not known. */
export function nodeMetrics(
  history: History,
  { metadata }: Measured,
  now: number,
): NodeMetrics | undefined {
  const pair = history.nodes.get(metadata.name ?? "");
  const found = pair && usageOf(pair);
  if (!found) return undefined;
  return {
    kind: "NodeMetrics",
    apiVersion,
    metadata: metadataOf(metadata, now),
    ...timesOf(found),
    usage: found.usage,
  };
}

/** The usage of a Pod's containers; undefined unless all of them are known. */
export function podMetrics(
  history: History,
  { metadata }: Measured,
  now: number,
): PodMetrics | undefined {
  const pairs = history.pods.get(`${metadata.namespace}/${metadata.name}`);
  if (!pairs || [...pairs.values()].some(({ previous }) => !previous)) return undefined;
  const found = [...pairs].flatMap(([name, pair]) => {
    const usage = usageOf(pair);
    return usage ? [{ name, ...usage }] : [];
  });
  const [earliest] = found.toSorted((a, b) => a.timeMs - b.timeMs);
  // Without any, the time is unknown, and a metric without time is of no use to anybody.
  if (!earliest) return undefined;
  return {
    kind: "PodMetrics",
    apiVersion,
    metadata: metadataOf(metadata, now),
    ...timesOf(earliest),
    containers: found.map(({ name, usage }) => ({ name, usage })),
  };
}

const usageOf = ({ previous, last }: Pair): Usage | undefined =>
  previous && usageBetween(previous, last);

function metadataOf({ name = "", namespace, labels }: ObjectMeta, now: number): ObjectMeta {
  return {
    name,
    ...(namespace ? { namespace } : {}),
    creationTimestamp: formatTime(now),
    ...(labels ? { labels } : {}),
  };
}

const timesOf = ({ timeMs, windowMs }: Usage) => ({
  timestamp: formatTime(timeMs),
  window: formatDuration(windowMs),
});
