import { type CallEstimate, costs, type EstimatedCall } from "../model/call-cost.ts";
import {
  addRanges,
  exactly,
  lesser,
  multiplyRanges,
  type Range,
  scaleRange,
} from "../model/range.ts";

const wrap = (value: bigint): bigint => BigInt.asUintN(64, value);

/** Cost estimates of the standard functions; all others cost 1. */
export function standardEstimate(call: EstimatedCall): CallEstimate {
  const { overloadId, target, args, sizeOf } = call;
  const [first, second] = args;
  const read = (size: Range) => scaleRange(size, costs.perCharacter);
  switch (overloadId) {
    case "string_format":
      if (target !== undefined) return { cost: read(sizeOf(target)) };
      break;
    case "string_to_bytes":
      if (first !== undefined) {
        const { min, max } = sizeOf(first);
        return { cost: read({ min, max }), resultSize: { min, max: wrap(max * 4n) } };
      }
      break;
    case "bytes_to_string":
      if (first !== undefined) {
        const { min, max } = sizeOf(first);
        return { cost: read({ min, max }), resultSize: { min: min / 4n, max } };
      }
      break;
    case "strings_quote":
      if (first !== undefined) {
        const { min, max } = sizeOf(first);
        const resultSize = { min: wrap(min + 2n), max: wrap(max * 2n + 2n) };
        return { cost: read({ min, max }), resultSize };
      }
      break;
    case "starts_with_string":
    case "ends_with_string":
      if (first !== undefined) return { cost: read(sizeOf(first)) };
      break;
    case "in_list":
      if (second !== undefined) return { cost: scaleRange(sizeOf(second), 1) };
      break;
    case "matches":
      if (first && second) return { cost: patternEstimate(sizeOf(first), sizeOf(second)) };
      break;
    case "matches_string":
      if (target && first) return { cost: patternEstimate(sizeOf(target), sizeOf(first)) };
      break;
    case "contains_string":
      if (target && first) {
        return { cost: multiplyRanges(read(sizeOf(target)), read(sizeOf(first))) };
      }
      break;
    case "add_list":
    case "add_string":
    case "add_bytes":
      if (first && second) {
        const resultSize = addRanges(sizeOf(first), sizeOf(second));
        return { cost: overloadId === "add_list" ? exactly(1) : read(resultSize), resultSize };
      }
      break;
    default:
      if (first && second && comparisons.has(overloadId)) {
        return { cost: read(smaller(sizeOf(first), sizeOf(second))) };
      }
  }
  return { cost: exactly(1) };
}

/** The cost of matching a text against a pattern. */
export function patternEstimate(text: Range, pattern: Range): Range {
  const perText = scaleRange(addRanges(text, exactly(1)), costs.perCharacter);
  return multiplyRanges(perText, scaleRange(pattern, costs.perPatternCharacter));
}

const comparisons: ReadonlySet<string> = new Set([
  "equals",
  "not_equals",
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((name) => [
    `${name}_string`,
    `${name}_bytes`,
  ]),
]);

/** The bounds of the compared part of two values: the smaller size. */
function smaller(a: Range, b: Range): Range {
  const max = lesser(a.max, b.max);
  return { min: max > 0n ? 1n : 0n, max };
}
