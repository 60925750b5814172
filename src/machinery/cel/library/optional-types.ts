import type { Library } from "../environment.ts";
import { type FunctionDecl, member, overload } from "../model/declaration.ts";
import type { Expr } from "../syntax/expr.ts";
import { type Factory, type Macro, MacroError } from "../syntax/macro.ts";
import { required } from "../syntax/standard-macros.ts";
import {
  boolType,
  dynType,
  intType,
  listOf,
  mapOf,
  optionalOf,
  stringType,
  typeParam,
} from "../type/cel-type.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { ArrayList, CelList } from "../value/cel-list.ts";
import { CelMap } from "../value/cel-map.ts";
import { CelObject } from "../value/cel-object.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { Duration } from "../value/duration.ts";
import { goText } from "../value/go-text.ts";
import { none, Optional } from "../value/optional.ts";
import { Timestamp } from "../value/timestamp.ts";
import { Uint } from "../value/uint.ts";

const v = typeParam("V");
const k = typeParam("K");
const optionalV = optionalOf(v);
const listV = listOf(v);
const mapKV = mapOf(k, v);

/**
 * or, orValue and the operators have no implementation here, because they do not evaluate all of
 * their operands.
 */
const functions: readonly FunctionDecl[] = [
  { name: "optional.of", overloads: [overload("optional_of", [v], optionalV, wrap)] },
  {
    name: "optional.ofNonZeroValue",
    overloads: [
      overload("optional_ofNonZeroValue", [v], optionalV, (value = null) => {
        return isZero(value) ? none : new Optional(value);
      }),
    ],
  },
  { name: "optional.none", overloads: [overload("optional_none", [], optionalV, () => none)] },
  {
    name: "value",
    overloads: [
      member("optional_value", [optionalV], v, (value) => {
        return value instanceof Optional ? value.get() : noSuchOverload;
      }),
    ],
  },
  {
    name: "hasValue",
    overloads: [
      member("optional_hasValue", [optionalV], boolType, (value) => {
        return value instanceof Optional ? value.hasValue : noSuchOverload;
      }),
    ],
  },
  { name: "or", overloads: [member("optional_or_optional", [optionalV, optionalV], optionalV)] },
  { name: "orValue", overloads: [member("optional_orValue_value", [optionalV, v], v)] },
  {
    name: "_?._",
    overloads: [overload("select_optional_field", [dynType, stringType], optionalV)],
  },
  {
    name: "_[?_]",
    overloads: [
      overload("list_optindex_optional_int", [listV, intType], optionalV),
      overload("optional_list_optindex_optional_int", [optionalOf(listV), intType], optionalV),
      overload("map_optindex_optional_value", [mapKV, k], optionalV),
      overload("optional_map_optindex_optional_value", [optionalOf(mapKV), k], optionalV),
    ],
  },
  {
    name: "_[_]",
    overloads: [
      overload("optional_list_index_int", [optionalOf(listV), intType], optionalV),
      overload("optional_map_index_value", [optionalOf(mapKV), k], optionalV),
    ],
  },
  { name: "last", overloads: [member("list_last", [listV], optionalV, (list) => end(list, -1))] },
  { name: "first", overloads: [member("list_first", [listV], optionalV, (list) => end(list, 0))] },
  {
    name: "optional.unwrap",
    overloads: [overload("optional_unwrap", [listOf(optionalV)], listV, unwrap)],
  },
  {
    name: "unwrapOpt",
    overloads: [member("optional_unwrapOpt", [listOf(optionalV)], listV, unwrap)],
  },
];

function wrap(value: CelValue = null): CelResult {
  return new Optional(value);
}

/** Unix seconds of the start of year 1, Go's zero time. */
const zeroTimeSeconds = -62_135_596_800n;

function isZero(value: CelValue): boolean {
  if (typeof value !== "object") return !value && !Number.isNaN(value);
  if (value === null) return true;
  if (value instanceof CelList || value instanceof CelMap || value instanceof CelObject) {
    return value.isZero;
  }
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  return value instanceof Timestamp && value.nanos === zeroTimeSeconds * 1_000_000_000n;
}

function end(list: CelValue | undefined, index: 0 | -1): CelResult {
  if (!(list instanceof CelList)) return noSuchOverload;
  if (list.length === 0) return none;
  const element = list.at(index === 0 ? 0 : list.length - 1);
  return element instanceof CelFault ? element : new Optional(element);
}

function unwrap(list?: CelValue): CelResult {
  if (!(list instanceof CelList)) return noSuchOverload;
  const values: CelValue[] = [];
  for (const element of list) {
    if (element instanceof CelFault) return element;
    if (!(element instanceof Optional))
      return new CelFault(`value ${goText(element)} is not optional`);
    if (element.value !== undefined) values.push(element.value);
  }
  return new ArrayList(values);
}

/**
 * optional.optMap(x, transform) wraps its result; the result of optFlatMap is already an optional.
 */
function optionalMacro(name: "optMap" | "optFlatMap"): Macro {
  const expand = (make: Factory, [variable, transform]: readonly Expr[], target?: Expr): Expr => {
    if (variable?.kind !== "ident") {
      const message = `${name}() variable name must be a simple identifier`;
      throw new MacroError(variable?.offset ?? 0, message);
    }
    const optional = required(target);
    const bound = make.bind(variable.name, make.memberCall("value", optional), required(transform));
    const present = name === "optMap" ? make.call("optional.of", bound) : bound;
    const test = make.memberCall("hasValue", optional);
    return make.call("_?_:_", test, present, make.call("optional.none"));
  };
  return { name, argCount: 2, receiver: true, expand };
}

/**
 * Values that may be absent.
 *
 * Upstream: vendor/github.com/google/cel-go/cel/library.go.
 */
export const optionalTypes: Library = {
  functions,
  macros: [optionalMacro("optMap"), optionalMacro("optFlatMap")],
  types: [optionalOf(dynType)],
};
