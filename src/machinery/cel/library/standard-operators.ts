import { actualSize, innerSize, textCost } from "../cost/actual-size.ts";
import type { ActualCost } from "../model/call-cost.ts";
import { type FunctionDecl, member, type Overload, overload } from "../model/declaration.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listOf,
  mapOf,
  stringType,
  timestampType,
  typeParam,
  uintType,
} from "../type/cel-type.ts";
import {
  add,
  divide,
  modulo,
  multiply,
  negate,
  notSupported,
  subtract,
} from "../value/arithmetic.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { CelList } from "../value/cel-list.ts";
import { CelMap } from "../value/cel-map.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { compare, isOrdered } from "../value/ordering.ts";
import { equalityEstimate } from "./costs/equality-estimate.ts";

const a = typeParam("A");
const listOfA = listOf(a);
const mapOfAB = mapOf(a, typeParam("B"));

/** Type names in the ids of signatures. */
const int64: Named = ["int64", intType];
const uint64: Named = ["uint64", uintType];
const double: Named = ["double", doubleType];
const string: Named = ["string", stringType];
const bytes: Named = ["bytes", bytesType];
const timestamp: Named = ["timestamp", timestampType];
const duration: Named = ["duration", durationType];
const bool: Named = ["bool", boolType];
const list: Named = ["list", listOfA];

type Named = readonly [name: string, type: CelType];

const lengthCost: ActualCost = ([x, y]) => textCost(innerSize(x) + innerSize(y));
const smallerCost: ActualCost = ([x, y]) => textCost(Math.min(innerSize(x), innerSize(y)));

/**
 * Operators, and size().
 *
 * Upstream: vendor/github.com/google/cel-go/common/stdlib/standard.go.
 */
export const operatorFunctions: readonly FunctionDecl[] = [
  { name: "_?_:_", overloads: [overload("conditional", [boolType, a, a], a)] },
  { name: "_&&_", overloads: [overload("logical_and", [boolType, boolType], boolType)] },
  { name: "_||_", overloads: [overload("logical_or", [boolType, boolType], boolType)] },
  {
    name: "!_",
    overloads: [overload("logical_not", [boolType], boolType)],
    singleton: (value) => (typeof value === "boolean" ? !value : noSuchOverload),
  },
  {
    name: "_==_",
    overloads: [overload("equals", [a, a], boolType)],
    estimate: equalityEstimate,
  },
  { name: "_!=_", overloads: [overload("not_equals", [a, a], boolType)] },
  comparison("_<_", "less", (order) => order < 0),
  comparison("_<=_", "less_equals", (order) => order <= 0),
  comparison("_>_", "greater", (order) => order > 0),
  comparison("_>=_", "greater_equals", (order) => order >= 0),
  {
    name: "_+_",
    overloads: [
      { ...same("add", bytes), cost: lengthCost },
      same("add", double),
      overload("add_duration_duration", [durationType, durationType], durationType),
      overload("add_duration_timestamp", [durationType, timestampType], timestampType),
      overload("add_timestamp_duration", [timestampType, durationType], timestampType),
      same("add", int64),
      same("add", list),
      { ...same("add", string), cost: lengthCost },
      same("add", uint64),
    ],
    singleton: add,
  },
  {
    name: "_-_",
    overloads: [
      same("subtract", double),
      overload("subtract_duration_duration", [durationType, durationType], durationType),
      same("subtract", int64),
      overload("subtract_timestamp_duration", [timestampType, durationType], timestampType),
      overload("subtract_timestamp_timestamp", [timestampType, timestampType], durationType),
      same("subtract", uint64),
    ],
    singleton: subtract,
  },
  { name: "_*_", overloads: numbers("multiply", double, int64, uint64), singleton: multiply },
  { name: "_/_", overloads: numbers("divide", double, int64, uint64), singleton: divide },
  { name: "_%_", overloads: numbers("modulo", int64, uint64), singleton: modulo },
  {
    name: "-_",
    overloads: [
      overload("negate_double", [doubleType], doubleType),
      overload("negate_int64", [intType], intType),
    ],
    singleton: negate,
  },
  {
    name: "_[_]",
    overloads: [
      overload("index_list", [listOfA, intType], a),
      overload("index_map", [mapOfAB, a], typeParam("B")),
    ],
  },
  {
    name: "@in",
    overloads: [
      { ...overload("in_list", [a, listOfA], boolType), cost: ([, y]) => innerSize(y) },
      overload("in_map", [a, mapOfAB], boolType),
    ],
    singleton: isIn,
  },
  {
    name: "size",
    overloads: ([bytes, list, ["map", mapOfAB], string] as const).flatMap(([name, type]) => [
      overload(`size_${name}`, [type], intType),
      member(`${name}_size`, [type], intType),
    ]),
    singleton: sizeOf,
  },
];

/** The continuation condition of comprehensions; it has no name in expressions. */
export const notStrictlyFalse: FunctionDecl = {
  name: "@not_strictly_false",
  overloads: [overload("not_strictly_false", [boolType], boolType)],
};

function same(name: string, [typeName, type]: Named): Overload {
  return overload(`${name}_${typeName}`, [type, type], type);
}

function numbers(name: string, ...types: readonly Named[]): Overload[] {
  return types.map((type) => same(name, type));
}

/** The order is significant: an unknown type becomes the first that matches. */
function comparison(name: string, id: string, test: (order: number) => boolean): FunctionDecl {
  const alike = ([typeName, type]: Named) => {
    const plain = overload(`${id}_${typeName}`, [type, type], boolType);
    return type === stringType || type === bytesType ? { ...plain, cost: smallerCost } : plain;
  };
  const mixed = (left: Named, ...others: readonly Named[]) =>
    others.map((right) => overload(`${id}_${left[0]}_${right[0]}`, [left[1], right[1]], boolType));
  const overloads = [
    ...[alike(bool), alike(int64), ...mixed(int64, double, uint64)],
    ...[alike(uint64), ...mixed(uint64, double, int64)],
    ...[alike(double), ...mixed(double, int64, uint64)],
    ...[string, bytes, timestamp, duration].map(alike),
  ];
  return { name, overloads, singleton: comparing(name, test) };
}

function comparing(name: string, test: (order: number) => boolean) {
  return (left: CelValue = null, right: CelValue = null): CelResult => {
    if (typeof left === "bigint" && typeof right === "bigint") {
      return test(left < right ? -1 : left > right ? 1 : 0);
    }
    if (!isOrdered(left)) return notSupported(name, left);
    const order = compare(left, right);
    return order instanceof CelFault ? order : test(order);
  };
}

function isIn(element: CelValue = null, container: CelValue = null): CelResult {
  if (container instanceof CelList || container instanceof CelMap)
    return container.contains(element);
  return noSuchOverload;
}

function sizeOf(value: CelValue = null): CelResult {
  const isSized =
    typeof value === "string" ||
    value instanceof CelList ||
    value instanceof CelMap ||
    value instanceof Uint8Array;
  return isSized ? BigInt(actualSize(value)) : notSupported("size", value);
}
