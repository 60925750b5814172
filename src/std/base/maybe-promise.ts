/**
 * A value that is there already or will be. For two cases only; everything else is plain or async.
 *
 * - What a caller passes in may have to wait or not (an extension point), and what calls it awaits the answer.
 * - Steps that every request takes many times and that rarely wait (admission plugins, authorizers, stored values): a turn of
 *   the event queue for each of them costs more than the step.
 */
export type MaybePromise<T> = T | Promise<T>;

/** A value that is no promise. A promise is an `object`; what encodes any object takes this, so that it gets none. */
export type Settled = object & { readonly then?: never };

/** Goes on with a value: at once if it is there. */
export function whenSettled<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
