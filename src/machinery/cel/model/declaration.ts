import type { CelType } from "../type/cel-type.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import type { ActualCost, CostEstimate } from "./call-cost.ts";

/** A function's work, for arguments of the declared types. */
export type Implementation = (...args: readonly CelValue[]) => CelResult;

/** One signature of a function. */
export interface Overload {
  /** Unique in an environment; costs and messages refer to it. */
  readonly id: string;
  /** The receiver's type first, if it is a member. */
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** Whether it is called on a target: text.size(). */
  readonly member: boolean;
  readonly call?: Implementation;
  /** A fault among its arguments ends the call, whatever their number. */
  readonly variadic?: boolean;
  readonly cost?: ActualCost;
  readonly estimate?: CostEstimate;
}

/** A function: its signatures, and what is common to them. */
export interface FunctionDecl {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** One implementation for all signatures, which looks at the types itself. */
  readonly singleton?: Implementation;
  /** The implementations look at the types themselves. */
  readonly unguarded?: boolean;
  /** A call may take long, so that it is charged beforehand. Its cost must not depend on the result. */
  readonly heavy?: boolean;
  /** Cost of a call of any signature that has none of its own. */
  readonly cost?: ActualCost;
  readonly estimate?: CostEstimate;
}

/** A signature of a function that is called with its arguments in parentheses. */
export function overload(
  id: string,
  args: readonly CelType[],
  result: CelType,
  call?: Implementation,
): Overload {
  return { id, args, result, member: false, ...(call && { call }) };
}

/** A signature of a function that is called on its first argument. */
export function member(
  id: string,
  args: readonly CelType[],
  result: CelType,
  call?: Implementation,
): Overload {
  return { id, args, result, member: true, ...(call && { call }) };
}

/** Two declarations of one function as one: signatures of the same id are replaced. */
export function mergeFunctions(first: FunctionDecl, second: FunctionDecl): FunctionDecl {
  const replaced = new Set(second.overloads.map(({ id }) => id));
  const kept = first.overloads.filter(({ id }) => !replaced.has(id));
  return { ...first, ...second, overloads: [...kept, ...second.overloads] };
}
