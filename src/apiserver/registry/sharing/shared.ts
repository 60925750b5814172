import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepFreeze } from "#/machinery/objects/deep-freeze.ts";

declare const owners: unique symbol;

/**
 * A value that is part of several objects, or may become so. It is no T to the compiler: code that changes a T does not take
 * it. `ownCopy` gives a T that may be changed, `readShared` one that may only be read.
 */
export interface Shared<T extends object> {
  readonly [owners]: T;
}

let areFrozen = false;

/** For tests: a change of a shared value throws. */
export function freezeSharedValues(): void {
  areFrozen = true;
}

/** Gives a value up: from now on it is not changed any more. */
export function share<T extends object>(value: T): Shared<T> {
  return (areFrozen ? deepFreeze(value) : value) as unknown as Shared<T>;
}

/** A copy that may be changed. */
export const ownCopy = <T extends object>(shared: Shared<T>): T => deepCopy(readShared(shared));

/** The value itself, for code that only reads: the types of the API do not say that they are not changed. */
export const readShared = <T extends object>(shared: Shared<T>): Readonly<T> =>
  shared as unknown as T;
