import { CelFault, noSuchOverload } from "./cel-fault.ts";
import { CelList } from "./cel-list.ts";
import type { CelResult, CelValue } from "./cel-value.ts";
import { Duration } from "./duration.ts";
import { Timestamp } from "./timestamp.ts";
import { isInt64, isUint64, Uint } from "./uint.ts";

/**
 * Upstream: vendor/github.com/google/cel-go/common/types/overflow.go and the operators of its
 * types.
 */
const intOverflow = new CelFault("integer overflow");
const uintOverflow = new CelFault("unsigned integer overflow");
const timestampOverflow = new CelFault("timestamp overflow");
const divisionByZero = new CelFault("division by zero");
const modulusByZero = new CelFault("modulus by zero");

/** An int; a fault if it is out of range. */
export const checkedInt = (value: bigint): CelResult => (isInt64(value) ? value : intOverflow);

/** A uint; a fault if it is out of range. */
export const checkedUint = (value: bigint): CelResult =>
  isUint64(value) ? new Uint(value) : uintOverflow;

/** A timestamp; a fault if its year is out of range. */
export const checkedTimestamp = (time: Timestamp): CelResult =>
  time.isInRange ? time : timestampOverflow;

const checkedDuration = (nanos: bigint): CelResult =>
  isInt64(nanos) ? new Duration(nanos) : intOverflow;

export function add(a: CelValue, b: CelValue): CelResult {
  if (typeof a === "bigint") return typeof b === "bigint" ? checkedInt(a + b) : noSuchOverload;
  if (typeof a === "string") return typeof b === "string" ? a + b : noSuchOverload;
  if (typeof a === "number") return typeof b === "number" ? a + b : noSuchOverload;
  if (a instanceof CelList) return b instanceof CelList ? a.concat(b) : noSuchOverload;
  if (a instanceof Uint) return b instanceof Uint ? checkedUint(a.value + b.value) : noSuchOverload;
  if (a instanceof Uint8Array) {
    return b instanceof Uint8Array ? Buffer.concat([a, b]) : noSuchOverload;
  }
  if (a instanceof Duration) {
    if (b instanceof Duration) return checkedDuration(a.nanos + b.nanos);
    return b instanceof Timestamp ? shift(b, a.nanos) : noSuchOverload;
  }
  if (a instanceof Timestamp) return b instanceof Duration ? shift(a, b.nanos) : noSuchOverload;
  return notSupported("_+_", a);
}

export function subtract(a: CelValue, b: CelValue): CelResult {
  if (typeof a === "bigint") return typeof b === "bigint" ? checkedInt(a - b) : noSuchOverload;
  if (typeof a === "number") return typeof b === "number" ? a - b : noSuchOverload;
  if (a instanceof Uint) return b instanceof Uint ? checkedUint(a.value - b.value) : noSuchOverload;
  if (a instanceof Duration) {
    return b instanceof Duration ? checkedDuration(a.nanos - b.nanos) : noSuchOverload;
  }
  if (a instanceof Timestamp) {
    if (b instanceof Timestamp) return checkedDuration(a.nanos - b.nanos);
    if (!(b instanceof Duration)) return noSuchOverload;
    return isInt64(-b.nanos) ? shift(a, -b.nanos) : intOverflow;
  }
  return notSupported("_-_", a);
}

function shift(time: Timestamp, nanos: bigint): CelResult {
  return checkedTimestamp(new Timestamp(time.nanos + nanos, time.offsetSeconds));
}

export function multiply(a: CelValue, b: CelValue): CelResult {
  if (typeof a === "bigint") return typeof b === "bigint" ? checkedInt(a * b) : noSuchOverload;
  if (typeof a === "number") return typeof b === "number" ? a * b : noSuchOverload;
  if (a instanceof Uint) return b instanceof Uint ? checkedUint(a.value * b.value) : noSuchOverload;
  return notSupported("_*_", a);
}

export function divide(a: CelValue, b: CelValue): CelResult {
  if (typeof a === "number") return typeof b === "number" ? a / b : noSuchOverload;
  if (typeof a === "bigint") {
    if (typeof b !== "bigint") return noSuchOverload;
    return b === 0n ? divisionByZero : checkedInt(a / b);
  }
  if (!(a instanceof Uint)) return notSupported("_/_", a);
  if (!(b instanceof Uint)) return noSuchOverload;
  return b.value === 0n ? divisionByZero : new Uint(a.value / b.value);
}

export function modulo(a: CelValue, b: CelValue): CelResult {
  if (typeof a === "bigint") {
    if (typeof b !== "bigint") return noSuchOverload;
    if (b === 0n) return modulusByZero;
    return b === -1n && !isInt64(-a) ? intOverflow : a % b;
  }
  if (!(a instanceof Uint)) return notSupported("_%_", a);
  if (!(b instanceof Uint)) return noSuchOverload;
  return b.value === 0n ? modulusByZero : new Uint(a.value % b.value);
}

export function negate(value: CelValue): CelResult {
  if (typeof value === "bigint") return checkedInt(-value);
  if (typeof value === "number") return -value;
  if (value instanceof Duration) return checkedDuration(-value.nanos);
  return typeof value === "boolean" ? noSuchOverload : notSupported("-_", value);
}

/** The fault of an operator for an operand without that operation. */
export function notSupported(operator: string, operand: CelValue): CelFault {
  const isReceiver =
    typeof operand === "string" || operand instanceof Timestamp || operand instanceof Duration;
  return isReceiver ? noSuchOverload : new CelFault(`no such overload: ${operator}`);
}
