/** Upstream: sigs.k8s.io/metrics-server, pkg/storage/node.go, pkg/storage/pod.go. */
import type { NodePoints, Point } from "./point.ts";

/** The last two points of a node or container. */
export interface Pair {
  readonly last: Point;
  /** Undefined until there are two of the same run. */
  readonly previous: Point | undefined;
}

/** The short history from which usage is computed: nothing older is kept. */
export interface History {
  readonly nodes: ReadonlyMap<string, Pair>;
  /** By "namespace/name" of the Pod, then by container. */
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, Pair>>;
}

export const emptyHistory: History = { nodes: new Map(), pods: new Map() };

/** Least age (ms) of a container whose start serves as its first point: a younger one's usage says little. */
const freshContainerMs = 10_000;

/** The history after a round of readings. What was not read now is forgotten, so that nothing stale is served. */
export function nextHistory(
  known: History,
  readings: ReadonlyMap<string, NodePoints>,
  resolutionMs: number,
): History {
  const nodes = new Map<string, Pair>();
  const pods = new Map<string, ReadonlyMap<string, Pair>>();
  for (const [name, { node, pods: read }] of readings) {
    if (node) nodes.set(name, { last: node, previous: previousOf(node, known.nodes.get(name)) });
    for (const [pod, containers] of read) {
      if (pods.has(pod)) continue; // Another node reports it as well: it is moving.
      pods.set(pod, nextContainers(containers, known.pods.get(pod), resolutionMs));
    }
  }
  return { nodes, pods };
}

function nextContainers(
  containers: ReadonlyMap<string, Point>,
  known: ReadonlyMap<string, Pair> | undefined,
  resolutionMs: number,
): Map<string, Pair> {
  return new Map(
    [...containers].map(([name, last]) => {
      const previous = atStart(last, resolutionMs) ?? previousOf(last, known?.get(name));
      return [name, { last, previous }];
    }),
  );
}

/** The start of a container that is younger than the interval of readings, but not too young. */
function atStart(point: Point, resolutionMs: number): Point | undefined {
  const ageMs = point.timeMs - point.startMs;
  if (ageMs < freshContainerMs || ageMs >= resolutionMs) return undefined;
  return { ...point, timeMs: point.startMs, cpuNanos: 0 };
}

/** The earlier point of the same run; undefined after a restart, or if the clock has been set back. */
function previousOf(next: Point, known: Pair | undefined): Point | undefined {
  if (!known || next.startMs >= known.last.timeMs) return undefined;
  if (next.timeMs > known.last.timeMs) return known.last;
  const { previous } = known;
  return previous && previous.timeMs < next.timeMs ? previous : undefined;
}
