import type { Library } from "../environment.ts";
import { standardMacros } from "../syntax/standard-macros.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from "../type/cel-type.ts";
import { conversionFunctions } from "./standard-conversions.ts";
import { notStrictlyFalse, operatorFunctions } from "./standard-operators.ts";
import { stringFunctions } from "./standard-strings.ts";
import { timeFunctions } from "./standard-time.ts";

/** The library of every environment. */
export const standardLibrary: Library = {
  functions: [
    ...operatorFunctions,
    notStrictlyFalse,
    ...conversionFunctions,
    ...stringFunctions,
    ...timeFunctions,
  ],
  macros: standardMacros,
  types: [
    boolType,
    bytesType,
    doubleType,
    durationType,
    intType,
    listOf(dynType),
    mapOf(dynType, dynType),
    nullType,
    stringType,
    timestampType,
    typeType,
    uintType,
  ],
};
