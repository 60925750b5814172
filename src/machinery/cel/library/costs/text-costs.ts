import { actualSize, textCost, traversalCost } from "../../cost/actual-size.ts";
import {
  type ActualCost,
  type CostEstimate,
  costs,
  type EstimatedCall,
  elementNode,
} from "../../model/call-cost.ts";
import {
  addRanges,
  exactly,
  multiplyRanges,
  type Range,
  scaleRange,
  zeroRange,
} from "../../model/range.ts";
import { maxUint64 } from "../../value/uint.ts";

/**
 * Kubernetes' costs of functions on strings and lists, for all libraries.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/library/cost.go.
 */
interface Costs {
  readonly cost: ActualCost;
  readonly estimate: CostEstimate;
}

const read = (size: Range, times = 1): Range => scaleRange(size, times * costs.perCharacter);

/** A fixed cost, independent of the arguments. */
export const fixedCosts = (cost: number): Costs => ({
  cost: () => cost,
  estimate: () => ({ cost: exactly(cost) }),
});

/** Cost of reading the receiver once; the result is not longer than it. */
export const transformCosts: Costs = {
  cost: ([text]) => textCost(actualSize(text)),
  estimate: ({ target, sizeOf }) => {
    if (target === undefined) return undefined;
    return { cost: read(sizeOf(target)), resultSize: sizeOf(target) };
  },
};

/** Cost of reading the first argument `times` times. */
export const parseCosts = (times = 1): Costs => ({
  cost: ([text]) => textCost(actualSize(text), times),
  estimate: ({ args: [text], sizeOf }) => text && { cost: read(sizeOf(text), times) },
});

/** Cost of visiting each element of the receiver, or reading it if it is a string. */
export const searchCosts: Costs = {
  cost: ([receiver]) => traversalCost(receiver),
  estimate: ({ target, sizeOf }) => {
    if (target === undefined) return undefined;
    const element = elementNode(target);
    if (element === undefined) return { cost: read(sizeOf(target)) };
    const isText = element.type.kind === "string" || element.type.kind === "bytes";
    const each = isText ? addRanges(exactly(1), read(sizeOf(element))) : exactly(1);
    return { cost: multiplyRanges(sizeOf(target), each) };
  },
};

export const replaceCosts: Costs = {
  cost: ([text]) => textCost(actualSize(text), 2),
  estimate: ({ target, args: [old, replacement], sizeOf }) => {
    if (target === undefined || old === undefined || replacement === undefined) return undefined;
    const text = sizeOf(target);
    const resultSize = replacedSize(text, sizeOf(old), sizeOf(replacement));
    return { cost: read(text, 2), resultSize };
  },
};

/** The bounds of a string's length after parts of it are replaced. */
function replacedSize(text: Range, old: Range, replacement: Range): Range {
  const most = replacedLength(text.max, old.min, replacement.max <= old.min);
  const least = replacedLength(text.min, old.max, old.max <= replacement.min);
  const count = { min: least.count, max: most.count };
  return addRanges(multiplyRanges(count, replacement), { min: least.kept, max: most.kept });
}

/**
 * An extreme case of a replacement: the number of occurrences of the part, and the length of the
 * text that is kept. Unchanged: the extreme is a text without the part.
 */
function replacedLength(length: bigint, part: bigint, unchanged: boolean) {
  if (part === 0n) return { count: length < maxUint64 ? length + 1n : length, kept: length };
  if (unchanged) return { count: 0n, kept: length };
  return { count: BigInt(Math.ceil(Number(length) / Number(part))), kept: 0n };
}

export const splitCosts: Costs = {
  cost: ([text]) => textCost(actualSize(text), 2),
  estimate: ({ target, args: [, limit], sizeOf }) => {
    if (target === undefined) return undefined;
    const text = sizeOf(target);
    const literal = limit?.expr?.kind === "constant" ? limit.expr.value : undefined;
    const max = typeof literal === "bigint" ? BigInt.asUintN(64, literal) : text.max;
    return { cost: read(text, 2), resultSize: { min: 0n, max } };
  },
};

export const joinCosts: Costs = {
  cost: (_args, result) => textCost(actualSize(result), 2),
  estimate: (call) => {
    const resultSize = joinedSize(call);
    return resultSize && { cost: read(resultSize), resultSize };
  },
};

function joinedSize({ target, args: [separator], sizeOf }: EstimatedCall): Range | undefined {
  if (target === undefined) return undefined;
  const count = sizeOf(target);
  const element = elementNode(target);
  const texts = element === undefined ? zeroRange : multiplyRanges(count, sizeOf(element));
  if (separator === undefined) return texts;
  const gaps = { min: lessOne(count.min), max: lessOne(count.max) };
  return addRanges(texts, multiplyRanges(sizeOf(separator), gaps));
}

const lessOne = (value: bigint): bigint => (value > 0n ? value - 1n : 0n);

/** Cost of reading the first argument once; the result has the same length. */
export const urlCosts: Costs = {
  cost: ([text]) => textCost(actualSize(text)),
  estimate: ({ args: [text], sizeOf }) =>
    text && { cost: read(sizeOf(text)), resultSize: sizeOf(text) },
};

/** As searchCosts; a value of unknown type is compared as a list. */
export const includesCosts: Costs = {
  cost: searchCosts.cost,
  estimate: (call) => {
    const { target, sizeOf } = call;
    if (target === undefined) return undefined;
    return elementNode(target) === undefined
      ? { cost: sizeOf(target) }
      : searchCosts.estimate(call);
  },
};

/** Cost of parsing an address, or reading that of a network. */
export const ipCosts: Costs = {
  cost: ([text], _result, overloadId) =>
    overloadId === "cidr_ip" ? 1 : textCost(actualSize(text)),
  estimate: ({ overloadId, args: [text], sizeOf }) => {
    if (overloadId === "cidr_ip") return { cost: exactly(1) };
    return text && { cost: read(sizeOf(text)) };
  },
};
