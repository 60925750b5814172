import { innerSize, textCost } from "../cost/actual-size.ts";
import type { ActualCost } from "../model/call-cost.ts";
import {
  type FunctionDecl,
  type Implementation,
  type Overload,
  overload,
} from "../model/declaration.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  stringType,
  timestampType,
  typeOfType,
  typeParam,
  uintType,
} from "../type/cel-type.ts";
import { CelObject } from "../value/cel-object.ts";
import { type CelResult, type CelValue, typeOf } from "../value/cel-value.ts";
import {
  toBool,
  toDouble,
  toDuration,
  toInt,
  toText,
  toTimestamp,
  toUint,
} from "../value/conversion.ts";

const a = typeParam("A");

const names: ReadonlyMap<CelType, string> = new Map([
  [boolType, "bool"],
  [bytesType, "bytes"],
  [doubleType, "double"],
  [durationType, "duration"],
  [intType, "int64"],
  [stringType, "string"],
  [timestampType, "timestamp"],
  [uintType, "uint64"],
]);

const readCost: ActualCost = ([value]) => textCost(innerSize(value));

/** Conversions between types, with a cost for reading strings or bytes. */
export const conversionFunctions: readonly FunctionDecl[] = [
  {
    name: "type",
    overloads: [overload("type", [a], typeOfType(a))],
    singleton: (value: CelValue = null) => {
      return value instanceof CelObject ? value.typeValue : typeOf(value);
    },
  },
  { name: "dyn", overloads: [overload("to_dyn", [a], dynType)], singleton: identity },
  conversion("bool", boolType, toBool, [stringType]),
  conversion("bytes", bytesType, (text) => Buffer.from(String(text)), [stringType]),
  conversion("double", doubleType, toDouble, [intType, stringType, uintType]),
  conversion("duration", durationType, toDuration, [stringType]),
  conversion("int", intType, toInt, [
    doubleType,
    durationType,
    stringType,
    timestampType,
    uintType,
  ]),
  conversion("string", stringType, toText, [
    ...[boolType, bytesType, doubleType, durationType, intType, timestampType, uintType],
  ]),
  conversion("timestamp", timestampType, toTimestamp, [intType, stringType]),
  conversion("uint", uintType, toUint, [doubleType, intType, stringType]),
];

function conversion(
  name: string,
  to: CelType,
  convert: (value: CelValue) => CelResult,
  from: readonly CelType[],
): FunctionDecl {
  return {
    name,
    overloads: [signature(to, to, identity), ...from.map((type) => signature(type, to, convert))],
  };
}

function signature(from: CelType, to: CelType, call: (value: CelValue) => CelResult): Overload {
  const id = `${names.get(from)}_to_${names.get(to)}`;
  const plain = overload(id, [from], to, call as Implementation);
  const reads = id === "string_to_bytes" || id === "bytes_to_string";
  return reads ? { ...plain, cost: readCost } : plain;
}

function identity(value: CelValue = null): CelResult {
  return value;
}
