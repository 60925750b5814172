import { createRequire } from "node:module";

/** A value that is made at its first use. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * A module or package that is loaded at its first use, for big and seldom used ones. The specifier
 * is as in an import of the file with the given URL.
 */
export function lazyModule<T>(specifier: string, from: string): () => T {
  return lazily(() => createRequire(from)(specifier) as T);
}
