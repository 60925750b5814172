import type { Library } from "../environment.ts";
import { overload } from "../model/declaration.ts";
import type { Expr } from "../syntax/expr.ts";
import { type Factory, type Macro, MacroError, variableName } from "../syntax/macro.ts";
import {
  appendIf,
  listParts,
  type Quantifier,
  quantifier,
  required,
  stepIf,
} from "../syntax/standard-macros.ts";
import { mapOf, typeParam } from "../type/cel-type.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { CelMap } from "../value/cel-map.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { GrowingMap } from "../value/growing-map.ts";

const k = typeParam("K");
const v = typeParam("V");
const mapKV = mapOf(k, v);

/**
 * Comprehensions over index and element, or key and value.
 *
 * Upstream: vendor/github.com/google/cel-go/ext/comprehensions.go.
 */
export const twoVariableComprehensions: Library = {
  functions: [
    {
      name: "cel.@mapInsert",
      overloads: [
        overload("@mapInsert_map_key_value", [mapKV, k, v], mapKV, insertEntry),
        overload("@mapInsert_map_map", [mapKV, mapKV], mapKV, insertAll),
      ],
    },
  ],
  macros: [
    ...(["all", "exists", "exists_one", "existsOne"] as const).map(quantifierMacro),
    ...[3, 4].flatMap((argCount) => [
      macro("transformList", argCount, transformList),
      macro("transformMap", argCount, transformMap),
      macro("transformMapEntry", argCount, transformMapEntry),
    ]),
  ],
};

interface Parts {
  readonly range: Expr;
  readonly variable: string;
  readonly variable2: string;
  readonly predicate: Expr | undefined;
  readonly transform: Expr;
}

function macro(
  name: string,
  argCount: number,
  expand: (make: Factory, parts: Parts) => Expr,
): Macro {
  return {
    name,
    argCount,
    receiver: true,
    expand(make, args, range) {
      const predicate = args.length === 4 ? args[2] : undefined;
      const transform = required(args.at(-1));
      return expand(make, { ...variables(args), range: required(range), predicate, transform });
    },
  };
}

function quantifierMacro(name: Quantifier): Macro {
  return macro(name, 3, (make, { range, variable, variable2, transform }) => {
    return make.fold({ variable, variable2, ...quantifier(make, name, range, transform) });
  });
}

function variables([first, second]: readonly Expr[]): { variable: string; variable2: string } {
  const message = "argument must be a simple name";
  for (const argument of [first, second]) {
    if (argument?.kind !== "ident") throw new MacroError(argument?.offset ?? 0, message);
  }
  if (first?.kind === "ident" && second?.kind === "ident" && first.name === second.name) {
    throw new MacroError(second.offset, `duplicate variable name: ${first.name}`);
  }
  return { variable: variableName(first, message), variable2: variableName(second, message) };
}

function transformList(make: Factory, { range, variable, variable2, ...parts }: Parts): Expr {
  const step = appendIf(make, parts.predicate, parts.transform);
  return make.fold({ range, variable, variable2, ...listParts(make), step });
}

function transformMap(make: Factory, { range, variable, variable2, ...parts }: Parts): Expr {
  const insert = make.call(
    "cel.@mapInsert",
    make.accumulator(),
    make.ident(variable),
    parts.transform,
  );
  const step = stepIf(make, parts.predicate, insert);
  return make.fold({ range, variable, variable2, ...mapParts(make), step });
}

function transformMapEntry(make: Factory, { range, variable, variable2, ...parts }: Parts): Expr {
  const insert = make.call("cel.@mapInsert", make.accumulator(), parts.transform);
  const step = stepIf(make, parts.predicate, insert);
  return make.fold({ range, variable, variable2, ...mapParts(make), step });
}

function mapParts(make: Factory) {
  return { init: make.map(), condition: make.literal(true), result: make.accumulator() };
}

function insertEntry(map?: CelValue, key: CelValue = null, value: CelValue = null): CelResult {
  if (!(map instanceof CelMap)) return noSuchOverload;
  return growing(map).insert(key, value);
}

function insertAll(map?: CelValue, added?: CelValue): CelResult {
  if (!(map instanceof CelMap) || !(added instanceof CelMap)) return noSuchOverload;
  const target = growing(map);
  for (const [key, value] of added.entries()) {
    if (value instanceof CelFault) return value;
    const inserted = target.insert(key, value);
    if (inserted instanceof CelFault) return inserted;
  }
  return target;
}

/** The map itself if it can be changed in place, else a copy that can. */
function growing(map: CelMap): GrowingMap {
  if (map instanceof GrowingMap) return map;
  const copy = new GrowingMap();
  for (const [key, value] of map.entries()) {
    if (!(value instanceof CelFault)) copy.set(key, value);
  }
  return copy;
}
