import { formatShortest } from "#/std/go/float.ts";
import {
  boolType,
  type CelType,
  doubleType,
  durationType,
  intType,
  stringType,
  timestampType,
  uintType,
} from "../type/cel-type.ts";
import { checkedInt, checkedTimestamp, checkedUint } from "./arithmetic.ts";
import { CelFault } from "./cel-fault.ts";
import { type CelResult, type CelValue, typeOf } from "./cel-value.ts";
import { Duration, parseDuration } from "./duration.ts";
import { parseFloatText } from "./go-number.ts";
import { parseTimestamp, Timestamp } from "./timestamp.ts";
import { isInt64, isUint64, Uint } from "./uint.ts";

/** Upstream: vendor/github.com/google/cel-go/common/types (the ConvertToType methods). */
function cannotConvert(value: CelValue, type: CelType): CelFault {
  return new CelFault(`type conversion error from '${typeOf(value)}' to '${type}'`);
}

export function toInt(value: CelValue): CelResult {
  if (typeof value === "bigint") return value;
  if (value instanceof Uint) return checkedInt(value.value);
  if (value instanceof Duration) return value.nanos;
  if (value instanceof Timestamp) return value.unixSeconds;
  if (typeof value === "number") {
    const fits = value > -(2 ** 63) && value < 2 ** 63;
    return fits ? BigInt(Math.trunc(value)) : new CelFault("integer overflow");
  }
  if (typeof value === "string" && /^[+-]?\d+$/.test(value)) {
    const parsed = BigInt(value.replace(/^\+/, ""));
    if (isInt64(parsed)) return parsed;
  }
  return cannotConvert(value, intType);
}

export function toUint(value: CelValue): CelResult {
  if (value instanceof Uint) return value;
  if (typeof value === "bigint") return checkedUint(value);
  if (typeof value === "number") {
    const fits = value >= 0 && value < 2 ** 64;
    return fits ? new Uint(BigInt(Math.trunc(value))) : new CelFault("unsigned integer overflow");
  }
  if (typeof value === "string" && /^\d+$/.test(value) && isUint64(BigInt(value))) {
    return new Uint(BigInt(value));
  }
  return cannotConvert(value, uintType);
}

export function toDouble(value: CelValue): CelResult {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  const parsed = typeof value === "string" ? parseFloatText(value) : undefined;
  return parsed ?? cannotConvert(value, doubleType);
}

const booleans: ReadonlyMap<CelValue, boolean> = new Map<CelValue, boolean>([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

export function toBool(value: CelValue): CelResult {
  return booleans.get(value) ?? cannotConvert(value, boolType);
}

export function toText(value: CelValue): CelResult {
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      return formatShortest(value);
    default:
  }
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Duration || value instanceof Timestamp) return value.toString();
  return value instanceof Uint8Array ? decode(value) : cannotConvert(value, stringType);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): CelResult {
  try {
    return utf8.decode(bytes);
  } catch {
    return new CelFault("invalid UTF-8 in bytes, cannot convert to string");
  }
}

export function toDuration(value: CelValue): CelResult {
  const parsed = typeof value === "string" ? parseDuration(value) : undefined;
  return parsed ?? cannotConvert(value, durationType);
}

export function toTimestamp(value: CelValue): CelResult {
  if (typeof value === "bigint") return checkedTimestamp(new Timestamp(value * 1_000_000_000n));
  const parsed = typeof value === "string" ? parseTimestamp(value) : undefined;
  return parsed === undefined ? cannotConvert(value, timestampType) : checkedTimestamp(parsed);
}
