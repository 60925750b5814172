import type { Expr } from "./expr.ts";
import { type Factory, type Macro, MacroError, variableName } from "./macro.ts";

/**
 * has, all, exists, exists_one, map and filter.
 *
 * Upstream: vendor/github.com/google/cel-go/parser/macro.go.
 */
export const standardMacros: readonly Macro[] = [
  { name: "has", argCount: 1, receiver: false, expand: expandHas },
  ...(["all", "exists", "exists_one"] as const).map((name) => ({
    name,
    argCount: 2,
    receiver: true,
    expand: expandQuantifier(name),
  })),
  { name: "map", argCount: 2, receiver: true, expand: expandMap },
  { name: "map", argCount: 3, receiver: true, expand: expandMap },
  { name: "filter", argCount: 2, receiver: true, expand: expandFilter },
];

const noIdentifier = "argument is not an identifier";

function expandHas(make: Factory, [argument]: readonly Expr[]): Expr {
  if (argument?.kind === "select") return make.presenceTest(argument.operand, argument.field);
  throw new MacroError(argument?.offset ?? 0, "invalid argument to has() macro");
}

function expandQuantifier(name: Quantifier): Macro["expand"] {
  return (make, [first, predicate], range) => {
    const variable = variableName(first, "argument must be a simple name");
    return make.fold({ variable, ...quantifier(make, name, required(range), required(predicate)) });
  };
}

export type Quantifier = "all" | "exists" | "exists_one" | "existsOne";

/** The parts of a fold that tests how many elements satisfy a predicate. */
export function quantifier(make: Factory, name: Quantifier, range: Expr, predicate: Expr) {
  const accumulated = make.accumulator();
  if (name === "all") {
    return {
      range,
      init: make.literal(true),
      condition: make.call("@not_strictly_false", make.accumulator()),
      step: make.call("_&&_", make.accumulator(), predicate),
      result: accumulated,
    };
  }
  if (name === "exists") {
    return {
      range,
      init: make.literal(false),
      condition: make.call("@not_strictly_false", make.call("!_", make.accumulator())),
      step: make.call("_||_", make.accumulator(), predicate),
      result: accumulated,
    };
  }
  const increment = make.call("_+_", make.accumulator(), make.literal(1n));
  return {
    range,
    init: make.literal(0n),
    condition: make.literal(true),
    step: make.call("_?_:_", predicate, increment, make.accumulator()),
    result: make.call("_==_", accumulated, make.literal(1n)),
  };
}

/** range.map(x, transform) and range.map(x, predicate, transform). */
export function expandMap(make: Factory, args: readonly Expr[], range?: Expr): Expr {
  const variable = variableName(args[0], noIdentifier);
  const transform = required(args.at(-1));
  const step = appendIf(make, args.length === 3 ? args[1] : undefined, transform);
  return make.fold({ variable, range: required(range), ...listParts(make), step });
}

function expandFilter(make: Factory, [first, predicate]: readonly Expr[], range?: Expr): Expr {
  const variable = variableName(first, noIdentifier);
  const step = appendIf(make, predicate, required(first));
  return make.fold({ variable, range: required(range), ...listParts(make), step });
}

/** The parts of a fold that collects a list. */
export function listParts(make: Factory) {
  return { init: make.list(), condition: make.literal(true), result: make.accumulator() };
}

/** A step that appends an element if the predicate is undefined or true. */
export function appendIf(make: Factory, predicate: Expr | undefined, element: Expr): Expr {
  return stepIf(make, predicate, make.call("_+_", make.accumulator(), make.list(element)));
}

/** A step that is executed if the predicate is undefined or true. */
export function stepIf(make: Factory, predicate: Expr | undefined, step: Expr): Expr {
  return predicate === undefined ? step : make.call("_?_:_", predicate, step, make.accumulator());
}

/** An argument that exists because of the macro's argument count. */
export function required(argument: Expr | undefined): Expr {
  if (argument === undefined) throw new Error("macro expanded without its arguments");
  return argument;
}
