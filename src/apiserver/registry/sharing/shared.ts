import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepFreeze } from "#/machinery/objects/deep-freeze.ts";

declare const owners: unique symbol;

/**
 * A value that is, or may become, part of several objects. The compiler does not accept it as a T, so code that changes
 * a T can't take it. `ownCopy` returns a T that may be changed, `readShared` one that may only be read.
 */
export interface Shared<T extends object> {
  readonly [owners]: T;
}

let areFrozen = false;

/** For tests: any change of a shared value throws. */
export function freezeSharedValues(): void {
  areFrozen = true;
}

/** Marks a value as shared: from now on it is immutable. */
export function share<T extends object>(value: T): Shared<T> {
  return (areFrozen ? deepFreeze(value) : value) as unknown as Shared<T>;
}

/** A copy that may be changed. */
export const ownCopy = <T extends object>(shared: Shared<T>): T => deepCopy(readShared(shared));

/** The value itself, for code that only reads: the API's types are not declared readonly. */
export const readShared = <T extends object>(shared: Shared<T>): Readonly<T> =>
  shared as unknown as T;
