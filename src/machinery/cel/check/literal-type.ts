import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  intType,
  nullType,
  stringType,
  uintType,
} from "../type/cel-type.ts";
import type { Literal } from "../value/literal.ts";
import { Uint } from "../value/uint.ts";

/** The type of a literal. */
export function literalType(value: Literal): CelType {
  switch (typeof value) {
    case "boolean":
      return boolType;
    case "bigint":
      return intType;
    case "number":
      return doubleType;
    case "string":
      return stringType;
    default:
      if (value === null) return nullType;
      return value instanceof Uint ? uintType : bytesType;
  }
}
