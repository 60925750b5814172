import {
  boolType,
  bytesType,
  CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  stringType,
  timestampType,
  typeType,
  uintType,
} from "../type/cel-type.ts";
import type { CelFault } from "./cel-fault.ts";
import { CelList } from "./cel-list.ts";
import { CelMap } from "./cel-map.ts";
import type { CelObject } from "./cel-object.ts";
import { Duration } from "./duration.ts";
import type { Literal } from "./literal.ts";
import { Optional } from "./optional.ts";
import { Timestamp } from "./timestamp.ts";
import { Uint } from "./uint.ts";

/** A value of the language. An int is a bigint, a double is a number. */
export type CelValue =
  | Literal
  | Timestamp
  | Duration
  | CelList
  | CelMap
  | Optional
  | CelObject
  | CelType;

/** A value, or a fault. */
export type CelResult = CelValue | CelFault;

const listType = listOf(dynType);
const mapType = mapOf(dynType, dynType);
const optionalType = optionalOf(dynType);

/** The type of a value at run time, where lists and maps have no element types. */
export function typeOf(value: CelValue): CelType {
  switch (typeof value) {
    case "string":
      return stringType;
    case "bigint":
      return intType;
    case "boolean":
      return boolType;
    case "number":
      return doubleType;
    default:
      return value === null ? nullType : objectTypeOf(value);
  }
}

function objectTypeOf(
  value: Exclude<CelValue, string | bigint | boolean | number | null>,
): CelType {
  if (value instanceof CelList) return listType;
  if (value instanceof CelMap) return mapType;
  if (value instanceof Optional) return optionalType;
  if (value instanceof Uint) return uintType;
  if (value instanceof Timestamp) return timestampType;
  if (value instanceof Duration) return durationType;
  if (value instanceof CelType) return typeType;
  if (value instanceof Uint8Array) return bytesType;
  return value.type;
}
