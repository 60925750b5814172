import type { Literal } from "../value/literal.ts";

/** A parsed expression with its macros expanded. */
export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | FoldExpr
  | BrokenExpr;

interface Node {
  /** Code point of the expression in messages: an operator's sign, a call's parenthesis. */
  readonly offset: number;
}

interface LiteralExpr extends Node {
  readonly kind: "literal";
  readonly value: Literal;
}

/** A name; with a leading dot it is never a local variable. */
export interface IdentExpr extends Node {
  readonly kind: "ident";
  readonly name: string;
}

export interface SelectExpr extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  /** has(operand.field). */
  readonly testOnly: boolean;
}

export interface CallExpr extends Node {
  readonly kind: "call";
  readonly target?: Expr;
  readonly name: string;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: "list";
  readonly elements: readonly ListElement[];
}

export interface ListElement {
  readonly value: Expr;
  /** The value is an optional; an empty one adds no element. */
  readonly optional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

export interface MapEntry extends Node {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructExpr extends Node {
  readonly kind: "struct";
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

export interface StructField extends Node {
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/**
 * A comprehension: starting from init, step is computed for each element of range while condition
 * is true; result is computed from the accumulator. With an empty range it binds a name: init is
 * computed when result needs it.
 */
export interface FoldExpr extends Node {
  readonly kind: "fold";
  readonly range: Expr;
  /** The element or key; the index or key if there is a second variable. */
  readonly variable: string;
  readonly variable2?: string;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Replaces an expression with a reported error. */
interface BrokenExpr extends Node {
  readonly kind: "broken";
}

/** The accumulator's name in macros, which is not valid in source code. */
export const accumulatorName = "@result";
