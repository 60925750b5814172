import type { NodeInfo } from "../../cache/node-info.ts";
import { isScalarResource } from "../../cache/resources.ts";
import { maxNodeScore } from "../../framework/plugin.ts";
import type { ResourceSpec, UtilizationShapePoint } from "./argument-parts.ts";
import type { ScoringStrategy } from "./scoring-strategy.ts";

/** Limit of scores in configurations. */
const maxCustomScore = 10;

/** One resource of a pod that is scored, and how to read it from nodes. */
interface CountedResource {
  readonly weight: number;
  /** The pod's request. */
  readonly wanted: number;
  readonly allocatable: (node: NodeInfo) => number;
  /** The sum of the requests of the pods on a node. */
  readonly allocated: (node: NodeInfo) => number;
}

/**
 * The resources to score for a pod, out of those in the configuration: extended ones only if the pod requests them.
 * nonZero counts containers without requests with a default.
 *
 * Upstream: pkg/scheduler/framework/plugins/noderesources/resource_allocation.go.
 */
export function countedResources(
  resources: readonly ResourceSpec[],
  wantedOf: (resource: string) => number,
  nonZero: boolean,
): readonly CountedResource[] {
  return resources.flatMap(({ name, weight }) => {
    const wanted = wantedOf(name);
    if (wanted === 0 && isScalarResource(name)) return [];
    return [{ weight, wanted, ...readers(name, nonZero) }];
  });
}

type Readers = Pick<CountedResource, "allocatable" | "allocated">;

function readers(name: string, nonZero: boolean): Readers {
  switch (name) {
    case "cpu":
      return {
        allocatable: ({ allocatable }) => allocatable.milliCPU,
        allocated: nonZero
          ? ({ nonZeroMilliCPU }) => nonZeroMilliCPU
          : ({ requested }) => requested.milliCPU,
      };
    case "memory":
      return {
        allocatable: ({ allocatable }) => allocatable.memory,
        allocated: nonZero
          ? ({ nonZeroMemory }) => nonZeroMemory
          : ({ requested }) => requested.memory,
      };
    case "ephemeral-storage":
      return {
        allocatable: ({ allocatable }) => allocatable.ephemeralStorage,
        allocated: ({ requested }) => requested.ephemeralStorage,
      };
    default:
      return {
        allocatable: ({ allocatable }) => allocatable.scalars.get(name) ?? 0,
        allocated: ({ requested }) => requested.scalars.get(name) ?? 0,
      };
  }
}

/** The score of one resource, given the requests including the pod's and the allocatable amount. */
type ShareScore = (requested: number, allocatable: number) => number;

/** Scores nodes by a strategy. */
export function strategyScore(
  strategy: ScoringStrategy,
): (node: NodeInfo, resources: readonly CountedResource[]) => number {
  if (strategy.type === "RequestedToCapacityRatio") {
    const share = ratioShare(strategy.requestedToCapacityRatio?.shape ?? []);
    // Resources whose score is 0 are excluded, including their weight.
    return (node, resources) => Math.round(weightedMean(node, resources, share, true));
  }
  const share = strategy.type === "MostAllocated" ? mostAllocated : leastAllocated;
  return (node, resources) => Math.floor(weightedMean(node, resources, share, false));
}

function weightedMean(
  node: NodeInfo,
  resources: readonly CountedResource[],
  share: ShareScore,
  skipZero: boolean,
): number {
  let sum = 0;
  let weights = 0;
  for (const resource of resources) {
    const allocatable = resource.allocatable(node);
    if (allocatable === 0) continue;
    const score = share(resource.allocated(node) + resource.wanted, allocatable);
    if (skipZero && score === 0) continue;
    sum += score * resource.weight;
    weights += resource.weight;
  }
  return weights === 0 ? 0 : sum / weights;
}

/** A higher score for an emptier node. */
const leastAllocated: ShareScore = (requested, allocatable) =>
  requested > allocatable
    ? 0
    : Math.floor(((allocatable - requested) * maxNodeScore) / allocatable);

/** A higher score for a fuller node. */
const mostAllocated: ShareScore = (requested, allocatable) =>
  Math.floor((Math.min(requested, allocatable) * maxNodeScore) / allocatable);

function ratioShare(points: readonly UtilizationShapePoint[]): ShareScore {
  const shape = points.map(({ utilization, score }) => {
    return { utilization, score: score * (maxNodeScore / maxCustomScore) };
  });
  return (requested, allocatable) => {
    if (requested > allocatable) return interpolate(shape, 100);
    return interpolate(shape, Math.floor((requested * 100) / allocatable));
  };
}

/** Linear interpolation between the points of a function. */
export function interpolate(
  shape: readonly { readonly utilization: number; readonly score: number }[],
  at: number,
): number {
  const next = shape.findIndex(({ utilization }) => at <= utilization);
  const after = shape[next];
  if (after === undefined) return shape.at(-1)?.score ?? 0;
  const before = shape[next - 1];
  if (before === undefined) return after.score;
  const rise = (after.score - before.score) * (at - before.utilization);
  return before.score + Math.trunc(rise / (after.utilization - before.utilization));
}

/** Balance of a node's resources: higher if the pod makes their utilization more even. */
export function balancedScore(node: NodeInfo, resources: readonly CountedResource[]): number {
  const withPod = evenness(node, resources, true);
  const without = evenness(node, resources, false);
  const half = maxNodeScore / 2;
  return half + Math.trunc((half + withPod - without) / 2);
}

function evenness(node: NodeInfo, resources: readonly CountedResource[], withPod: boolean): number {
  let count = 0;
  let first = 0;
  let last = 0;
  for (const resource of resources) {
    const fraction = fractionOf(node, resource, withPod);
    if (fraction === undefined) continue;
    if (count++ === 0) first = fraction;
    last = fraction;
  }
  if (count < 2) return maxNodeScore;
  const spread =
    count === 2 ? Math.abs((first - last) / 2) : deviation(node, resources, count, withPod);
  return Math.trunc((1 - spread) * maxNodeScore);
}

function deviation(
  node: NodeInfo,
  resources: readonly CountedResource[],
  count: number,
  withPod: boolean,
): number {
  let sum = 0;
  for (const resource of resources) sum += fractionOf(node, resource, withPod) ?? 0;
  const mean = sum / count;
  let squares = 0;
  for (const resource of resources) {
    const fraction = fractionOf(node, resource, withPod);
    if (fraction !== undefined) squares += (fraction - mean) ** 2;
  }
  return Math.sqrt(squares / count);
}

/** Utilization of a resource; undefined if the node has none of it. */
function fractionOf(
  node: NodeInfo,
  { allocatable, allocated, wanted }: CountedResource,
  withPod: boolean,
): number | undefined {
  const capacity = allocatable(node);
  if (capacity === 0) return undefined;
  return Math.min(1, (allocated(node) + (withPod ? wanted : 0)) / capacity);
}
