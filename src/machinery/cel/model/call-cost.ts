import type { CelType } from "../type/cel-type.ts";
import type { CelResult } from "../value/cel-value.ts";
import type { Checked } from "./checked.ts";
import type { Range } from "./range.ts";

/** What one thing costs. Upstream: cel-go/common/cost.go. */
export const costs = {
  /** Looking up a name or a field. */
  access: 1,
  list: 10,
  map: 30,
  struct: 40,
  /** Each character of a text that is read once. */
  perCharacter: 0.1,
  /** Each character of a regular expression. */
  perPatternCharacter: 0.25,
} as const;

/** What a call cost, given its arguments (the receiver first) and its result. */
export type ActualCost = (
  args: readonly CelResult[],
  result: CelResult,
  overloadId: string,
) => number;

/** What a call may cost, and how large its result may be; undefined if it cannot tell. */
export type CostEstimate = (call: EstimatedCall) => CallEstimate | undefined;

/** The cost of a call without that of its arguments. */
export interface CallEstimate {
  readonly cost: Range;
  readonly resultSize?: Range;
}

/** A call whose cost is estimated. */
export interface EstimatedCall {
  readonly overloadId: string;
  readonly target: EstimatedNode | undefined;
  readonly args: readonly EstimatedNode[];
  /** The size of a part of the call, or of an element of it. */
  sizeOf(node: EstimatedNode): Range;
}

/** A part of an expression whose cost is estimated. */
export interface EstimatedNode {
  readonly type: CelType;
  /** Where the value comes from: a variable, then fields, @items, @keys or @values. Empty if it is computed. */
  readonly path: readonly string[];
  readonly expr?: Checked;
  /** What is known of its size, if anything is. */
  readonly size?: Range | undefined;
}

/** Bounds of sizes that only the caller knows: the largest strings and lists of a schema. */
export type SizeEstimator = (node: EstimatedNode) => Range | undefined;

/** An element of a list, for the sake of its size. */
export function elementNode(list: EstimatedNode): EstimatedNode | undefined {
  const [type] = list.type.parameters;
  if (type === undefined) return undefined;
  return { type, path: list.path.length === 0 ? [] : [...list.path, "@items"] };
}
