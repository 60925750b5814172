import type { NodeInfo } from "../cache/node-info.ts";
import { amountOf, isScalarResource } from "../cache/resources.ts";
import type {
  ResourceSpec,
  ScoringStrategy,
  UtilizationShapePoint,
} from "../config/plugin-args.ts";
import { maxNodeScore } from "../framework/plugin.ts";

/** What is asked for and what there is of one resource, on a node with the pod on it. */
export interface Share {
  readonly weight: number;
  readonly requested: number;
  /** Without the pod. */
  readonly allocated: number;
  readonly allocatable: number;
}

/** Scores given in configurations go up to this. */
const maxCustomScore = 10;

/**
 * The shares of the resources that count; those that a node has none of, or that the pod doesn't ask for, don't.
 *
 * Upstream: kubernetes/pkg/scheduler/framework/plugins/noderesources/resource_allocation.go.
 */
export function sharesOn(
  node: NodeInfo,
  resources: readonly ResourceSpec[],
  podRequests: readonly number[],
  nonZero: boolean,
): Share[] {
  const shares: Share[] = [];
  for (let i = 0; i < resources.length; i++) {
    const { name = "", weight = 1 } = resources[i] ?? {};
    const podRequest = podRequests[i] ?? 0;
    if (podRequest === 0 && isScalarResource(name)) continue;
    const allocatable = amountOf(node.allocatable, name);
    if (allocatable === 0) continue;
    const allocated = nonZero ? nonZeroRequested(node, name) : amountOf(node.requested, name);
    shares.push({ weight, requested: allocated + podRequest, allocated, allocatable });
  }
  return shares;
}

function nonZeroRequested(node: NodeInfo, name: string): number {
  if (name === "cpu") return node.nonZeroMilliCPU;
  if (name === "memory") return node.nonZeroMemory;
  return amountOf(node.requested, name);
}

/** The function that a strategy scores nodes by. */
export function strategyScore(strategy: ScoringStrategy): (shares: readonly Share[]) => number {
  switch (strategy.type) {
    case "MostAllocated":
      return (shares) => Math.floor(weightedMean(shares, mostAllocated));
    case "RequestedToCapacityRatio":
      return ratioScore(strategy.requestedToCapacityRatio?.shape ?? []);
    default:
      return (shares) => Math.floor(weightedMean(shares, leastAllocated));
  }
}

function weightedMean(shares: readonly Share[], score: (share: Share) => number): number {
  let sum = 0;
  let weights = 0;
  for (const share of shares) {
    sum += score(share) * share.weight;
    weights += share.weight;
  }
  return weights === 0 ? 0 : sum / weights;
}

function leastAllocated({ requested, allocatable }: Share): number {
  if (requested > allocatable) return 0;
  return Math.floor(((allocatable - requested) * maxNodeScore) / allocatable);
}

function mostAllocated({ requested, allocatable }: Share): number {
  return Math.floor((Math.min(requested, allocatable) * maxNodeScore) / allocatable);
}

function ratioScore(
  points: readonly UtilizationShapePoint[],
): (shares: readonly Share[]) => number {
  const shape = points.map(({ utilization, score }) => {
    return { utilization, score: score * (maxNodeScore / maxCustomScore) };
  });
  const scoreOf = ({ requested, allocatable }: Share): number =>
    interpolate(shape, requested > allocatable ? 100 : Math.floor((requested * 100) / allocatable));
  // Resources whose score is 0 don't count, not even by their weight.
  return (shares) =>
    Math.round(
      weightedMean(
        shares.filter((share) => scoreOf(share) > 0),
        scoreOf,
      ),
    );
}

/** The value at a point of a function given by points that straight lines connect. */
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

/** How evenly a node's resources would be used: higher if the pod makes them more even. */
export function balancedScore(shares: readonly Share[]): number {
  const withPod = evenness(shares.map(({ requested, allocatable }) => requested / allocatable));
  const without = evenness(shares.map(({ allocated, allocatable }) => allocated / allocatable));
  const half = maxNodeScore / 2;
  return half + Math.trunc((half + withPod - without) / 2);
}

function evenness(fractions: readonly number[]): number {
  const bounded = fractions.map((fraction) => Math.min(1, fraction));
  return Math.floor((1 - deviation(bounded)) * maxNodeScore);
}

function deviation(values: readonly number[]): number {
  const [a = 0, b = 0] = values;
  if (values.length < 2) return 0;
  if (values.length === 2) return Math.abs((a - b) / 2);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / values.length);
}
