/**
 * A table of constants by name, without the names that every object inherits: a client that asks for `constructor` or
 * `__proto__` finds nothing.
 */
export function table<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.freeze(Object.assign(Object.create(null) as Record<string, T>, entries));
}
