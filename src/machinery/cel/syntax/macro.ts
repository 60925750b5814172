import type { Literal } from "../value/literal.ts";
import {
  accumulatorName,
  type Expr,
  type FoldExpr,
  type IdentExpr,
  type ListExpr,
} from "./expr.ts";

/** A macro was used with invalid arguments. */
export class MacroError extends Error {
  override readonly name = "MacroError";
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** A function call that is replaced by another expression when it is parsed. */
export interface Macro {
  readonly name: string;
  readonly argCount: number;
  /** Whether it is called on a target: range.all(x, p). */
  readonly receiver: boolean;
  /** The replacement. Throws MacroError. */
  expand(make: Factory, args: readonly Expr[], target?: Expr): Expr;
}

/** Creates expressions at the position of a macro's call. */
export class Factory {
  readonly #offset: number;

  constructor(offset: number) {
    this.#offset = offset;
  }

  literal(value: Literal): Expr {
    return { kind: "literal", offset: this.#offset, value };
  }

  ident(name: string): IdentExpr {
    return { kind: "ident", offset: this.#offset, name };
  }

  accumulator(): Expr {
    return this.ident(accumulatorName);
  }

  call(name: string, ...args: readonly Expr[]): Expr {
    return { kind: "call", offset: this.#offset, name, args };
  }

  memberCall(name: string, target: Expr, ...args: readonly Expr[]): Expr {
    return { kind: "call", offset: this.#offset, name, target, args };
  }

  presenceTest(operand: Expr, field: string): Expr {
    return { kind: "select", offset: this.#offset, operand, field, testOnly: true };
  }

  list(...values: readonly Expr[]): ListExpr {
    const elements = values.map((value) => ({ value, optional: false }));
    return { kind: "list", offset: this.#offset, elements };
  }

  map(): Expr {
    return { kind: "map", offset: this.#offset, entries: [] };
  }

  fold(parts: Omit<FoldExpr, "kind" | "offset" | "accumulator">): FoldExpr {
    return { kind: "fold", offset: this.#offset, accumulator: accumulatorName, ...parts };
  }

  /** Binds a name to a value in `result`; the value is computed on first use. */
  bind(name: string, value: Expr, result: Expr): FoldExpr {
    const condition = this.literal(false);
    const parts = { range: this.list(), variable: "#unused", condition, step: this.ident(name) };
    return { kind: "fold", offset: this.#offset, ...parts, accumulator: name, init: value, result };
  }
}

/** The key for the lookup of macros. */
export function macroKey(name: string, argCount: number, receiver: boolean): string {
  return `${name}:${argCount}:${receiver}`;
}

/** The variable name of an argument. */
export function variableName(argument: Expr | undefined, message: string): string {
  if (argument?.kind !== "ident") throw new MacroError(argument?.offset ?? 0, message);
  if (argument.name === accumulatorName || argument.name === "__result__") {
    throw new MacroError(argument.offset, "iteration variable overwrites accumulator variable");
  }
  return argument.name;
}
