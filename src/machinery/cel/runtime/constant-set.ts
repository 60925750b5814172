import { CelFault } from "../value/cel-fault.ts";
import type { CelList } from "../value/cel-list.ts";
import { keyIdentity } from "../value/cel-map.ts";
import type { CelValue } from "../value/cel-value.ts";
import { isInt64, isUint64, Uint } from "../value/uint.ts";

/**
 * Membership in a list of primitive values; undefined for other lists. A number also matches equal
 * numbers of other types.
 *
 * Upstream: vendor/github.com/google/cel-go/interpreter/decorators.go.
 */
export function constantSet(list: CelList): ((value: CelValue) => boolean) | undefined {
  const members = new Set<unknown>();
  for (const element of list) {
    if (element instanceof CelFault || !isPrimitive(element)) return undefined;
    members.add(keyIdentity(element));
    for (const other of otherNumbers(element)) members.add(keyIdentity(other));
  }
  return (value) => members.has(keyIdentity(value)) && !Number.isNaN(value);
}

function isPrimitive(value: CelValue): boolean {
  return typeof value === "object" ? value instanceof Uint : true;
}

function otherNumbers(value: CelValue): CelValue[] {
  if (typeof value === "number") {
    const whole = Number.isInteger(value) ? BigInt(value) : undefined;
    if (whole === undefined) return [];
    return [...(isInt64(whole) ? [whole] : []), ...(isUint64(whole) ? [new Uint(whole)] : [])];
  }
  if (typeof value === "bigint") {
    return [Number(value), ...(isUint64(value) ? [new Uint(value)] : [])];
  }
  if (value instanceof Uint) {
    return [Number(value.value), ...(isInt64(value.value) ? [value.value] : [])];
  }
  return [];
}
