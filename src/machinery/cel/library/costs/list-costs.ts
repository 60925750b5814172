import { actualSize } from "../../cost/actual-size.ts";
import {
  type ActualCost,
  type CallEstimate,
  type CostEstimate,
  costs,
  type EstimatedNode,
} from "../../model/call-cost.ts";
import { addRanges, exactly, multiplyRanges, type Range, scaleRange } from "../../model/range.ts";
import { bytesType, type CelType, stringType } from "../../type/cel-type.ts";
import { CelList } from "../../value/cel-list.ts";
import type { CelResult } from "../../value/cel-value.ts";
import { maxUint64 } from "../../value/uint.ts";

/**
 * Costs of list functions: visiting each element, and creating a new list.
 *
 * Upstream: vendor/github.com/google/cel-go/ext/lists.go.
 */
interface Costs {
  readonly cost: ActualCost;
  readonly estimate: CostEstimate;
}

const newList = (size: number, factor = 1): number => Math.trunc(size * factor) + 1 + costs.list;

function newListEstimate(size: Range, factor = 1): CallEstimate {
  const cost = addRanges(scaleRange(size, factor), exactly(1 + costs.list));
  return { cost, resultSize: size };
}

const outputCost: ActualCost = (_args, result) => newList(actualSize(result));

/** Cost by the size of the result, which is that of the receiver. */
export const outputCosts: Costs = {
  cost: outputCost,
  estimate: ({ target, sizeOf }) => target && newListEstimate(sizeOf(target)),
};

export const sliceCosts: Costs = {
  cost: outputCost,
  estimate: ({ target, args: [start, end], sizeOf }) => {
    if (target === undefined || start === undefined || end === undefined) return undefined;
    const length = literalOr(end, sizeOf(target).max) - literalOr(start, 0n);
    return newListEstimate(exactly(BigInt.asUintN(64, length)));
  },
};

export const rangeCosts: Costs = {
  cost: outputCost,
  estimate: ({ args: [size] }) => size && newListEstimate(exactly(literalOr(size, maxUint64))),
};

export const flattenCosts: Costs = {
  cost: ([list, depth]) => {
    const factor = typeof depth === "bigint" ? Number(depth) : 1;
    return newList(actualSize(list), factor < 0 ? 1 : factor);
  },
  estimate: ({ target, args: [depth], sizeOf }) => {
    const factor = depth === undefined ? 1n : literalOr(depth, maxUint64);
    return target && newListEstimate(sizeOf(target), Number(factor));
  },
};

export const distinctCosts: Costs = {
  cost: ([list]) => pairwise(list),
  estimate: ({ target, sizeOf }) => target && pairwiseEstimate(sizeOf(target), 2),
};

export const sortCosts = (type: CelType): Costs => ({
  cost: ([list]) => pairwise(list),
  estimate: ({ target, sizeOf }) =>
    target && pairwiseEstimate(sizeOf(target), comparisonFactor(type)),
});

export const sortByCosts = (type: CelType): Costs => ({
  cost: ([, keys]) => pairwise(keys),
  estimate: ({ args: [keys], sizeOf }) =>
    keys && pairwiseEstimate(sizeOf(keys), comparisonFactor(type)),
});

const comparisonFactor = (type: CelType): number =>
  type === stringType || type === bytesType ? 2 + costs.perCharacter : 2;

function pairwise(list: CelResult | undefined): number {
  const size = actualSize(list);
  const first = list instanceof CelList && size > 0 ? list.at(0) : undefined;
  const isText = typeof first === "string" || first instanceof Uint8Array;
  return newList(size * size, isText ? 2 + costs.perCharacter : 2);
}

const pairwiseEstimate = (size: Range, factor: number): CallEstimate =>
  newListEstimate(multiplyRanges(size, size), factor);

/** The number of a literal, at least 0; another if it is not a literal. */
function literalOr({ expr }: EstimatedNode, otherwise: bigint): bigint {
  if (expr?.kind !== "constant" || typeof expr.value !== "bigint") return otherwise;
  return expr.value < 0n ? 0n : expr.value;
}
