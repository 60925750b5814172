import { CelFault } from "../value/cel-fault.ts";
import { CelList } from "../value/cel-list.ts";
import { CelMap } from "../value/cel-map.ts";
import { CelObject } from "../value/cel-object.ts";
import { type CelResult, type CelValue, typeOf } from "../value/cel-value.ts";
import { goText } from "../value/go-text.ts";
import { goTypeName } from "../value/go-type-name.ts";
import { isInt64, Uint } from "../value/uint.ts";

/** The element, value or field of a value by its key. */
export function getMember(value: CelValue, key: CelValue): CelResult {
  if (value instanceof CelMap && typeof key === "string") {
    const found = value.find(key);
    return found === undefined ? new CelFault(`no such key: ${key}`) : found;
  }
  const isField = value instanceof CelObject && typeof key === "string";
  const found = isField ? value.getField(key) : findMember(value, key);
  if (found !== undefined) return found;
  if (value instanceof CelList) return new CelFault(`index out of bounds: ${goText(key)}`);
  return new CelFault(`no such key: ${goText(key)}`);
}

/** The same; undefined if there is none. A presence test does not need the field's value. */
export function findMember(
  value: CelValue,
  key: CelValue,
  requested: "value" | "presence" = "value",
): CelResult | undefined {
  if (value instanceof CelMap && typeof key === "string") return value.find(key);
  if (!isKey(key)) return new CelFault(`invalid qualifier type: ${goTypeName(key)}`);
  if (value instanceof CelMap) return value.find(key);
  if (value instanceof CelList) return findElement(value, key);
  return value instanceof CelObject ? findField(value, key, requested) : undefined;
}

/** Whether a value can be a key or an index. */
export function isKey(value: CelValue): boolean {
  return typeof value === "object" ? value instanceof Uint : true;
}

function findElement(list: CelList, key: CelValue): CelResult | undefined {
  const index = indexOf(key);
  if (index instanceof CelFault) return index;
  if (index < 0 || index >= list.length) return undefined;
  if (list.takesOnlyInts && typeof key !== "bigint") {
    return new CelFault(`unsupported index: ${goText(key)}`);
  }
  return list.at(index);
}

/** The index for a number of any type. */
function indexOf(key: CelValue): number | CelFault {
  if (typeof key === "bigint") return Number(key);
  const unsupported = () => new CelFault(`unsupported index value ${goText(key)} in list`);
  if (typeof key === "number") {
    return Number.isInteger(key) && Math.abs(key) < 2 ** 63 ? key : unsupported();
  }
  if (key instanceof Uint) return isInt64(key.value) ? Number(key.value) : unsupported();
  return new CelFault(`unsupported index type '${typeOf(key)}' in list`);
}

function findField(
  object: CelObject,
  key: CelValue,
  requested: "value" | "presence",
): CelResult | undefined {
  if (typeof key !== "string") return undefined;
  const present = object.hasField(key);
  if (present === undefined || present instanceof CelFault) return present;
  if (!present) return undefined;
  return requested === "presence" ? true : object.getField(key);
}
