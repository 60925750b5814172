import { createRequire } from "node:module";

/** A value that is made when it is first asked for. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * A module, or package, that is loaded when it is first asked for: what is big and seldom needed. The specifier is as in an
 * import of the file whose URL is given.
 */
export function lazyModule<T>(specifier: string, from: string): () => T {
  return lazily(() => createRequire(from)(specifier) as T);
}
