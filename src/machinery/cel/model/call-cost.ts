import type { CelType } from "../type/cel-type.ts";
import type { CelResult } from "../value/cel-value.ts";
import type { Checked } from "./checked.ts";
import type { Range } from "./range.ts";

/** The cost of basic operations. Upstream: vendor/github.com/google/cel-go/common/cost.go. */
export const costs = {
  /** A lookup of a name or a field. */
  access: 1,
  list: 10,
  map: 30,
  struct: 40,
  /** Reading one character of a string. */
  perCharacter: 0.1,
  /** One character of a regular expression. */
  perPatternCharacter: 0.25,
} as const;

/** The cost of a call, given its arguments (the receiver first) and its result. */
export type ActualCost = (
  args: readonly CelResult[],
  result: CelResult,
  overloadId: string,
) => number;

/** The estimated cost of a call, and the size of its result; undefined if unknown. */
export type CostEstimate = (call: EstimatedCall) => CallEstimate | undefined;

/** The cost of a call without that of its arguments. */
export interface CallEstimate {
  readonly cost: Range;
  readonly resultSize?: Range;
}

/** A call to estimate. */
export interface EstimatedCall {
  readonly overloadId: string;
  readonly target: EstimatedNode | undefined;
  readonly args: readonly EstimatedNode[];
  /** The size of a part of the call, or of an element of it. */
  sizeOf(node: EstimatedNode): Range;
}

/** A node of an expression to estimate. */
export interface EstimatedNode {
  readonly type: CelType;
  /**
   * The source of the value: a variable, then fields, @items, @keys or @values. Empty if it is
   * computed.
   */
  readonly path: readonly string[];
  readonly expr?: Checked;
  /** The bounds of its size; undefined if unknown. */
  readonly size?: Range | undefined;
}

/** Bounds of sizes that only the caller knows: the limits of strings and lists in a schema. */
export type SizeEstimator = (node: EstimatedNode) => Range | undefined;

/** An element of a list, to estimate its size. */
export function elementNode(list: EstimatedNode): EstimatedNode | undefined {
  const [type] = list.type.parameters;
  if (type === undefined) return undefined;
  return { type, path: list.path.length === 0 ? [] : [...list.path, "@items"] };
}
