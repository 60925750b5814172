import type { CelType } from "../type/cel-type.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import type { ActualCost, CostEstimate } from "./call-cost.ts";

/** The implementation of a function, for arguments of the declared types. */
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
  /** Any number of arguments; a fault among them ends the call. */
  readonly variadic?: boolean;
  readonly cost?: ActualCost;
  readonly estimate?: CostEstimate;
}

/** A function: its signatures and their common properties. */
export interface FunctionDecl {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** One implementation for all signatures, which checks the types itself. */
  readonly singleton?: Implementation;
  /** The implementations check the types themselves. */
  readonly unguarded?: boolean;
  /**
   * A call may be slow, so its cost is charged before it. The cost must not depend on the result.
   */
  readonly heavy?: boolean;
  /** Cost of a call of any signature without its own cost. */
  readonly cost?: ActualCost;
  readonly estimate?: CostEstimate;
}

/** A signature of a global function: f(x). */
export function overload(
  id: string,
  args: readonly CelType[],
  result: CelType,
  call?: Implementation,
): Overload {
  return { id, args, result, member: false, ...(call && { call }) };
}

/** A signature of a member function: x.f(). */
export function member(
  id: string,
  args: readonly CelType[],
  result: CelType,
  call?: Implementation,
): Overload {
  return { id, args, result, member: true, ...(call && { call }) };
}

/** Merges two declarations of one function: signatures with the same id are replaced. */
export function mergeFunctions(first: FunctionDecl, second: FunctionDecl): FunctionDecl {
  const replaced = new Set(second.overloads.map(({ id }) => id));
  const kept = first.overloads.filter(({ id }) => !replaced.has(id));
  return { ...first, ...second, overloads: [...kept, ...second.overloads] };
}
