/** The first item of a list by each key: what find() returns, without a search for each key. */
export function firstByKey<T, Key>(
  items: Iterable<T>,
  keyOf: (item: T) => Key,
): ReadonlyMap<Key, T> {
  const found = new Map<Key, T>();
  for (const item of items) {
    const key = keyOf(item);
    if (!found.has(key)) found.set(key, item);
  }
  return found;
}

/** The last item of a list by each key: what findLast() returns. */
export function lastByKey<T, Key>(
  items: Iterable<T>,
  keyOf: (item: T) => Key,
): ReadonlyMap<Key, T> {
  const found = new Map<Key, T>();
  for (const item of items) found.set(keyOf(item), item);
  return found;
}

/** The indices of the values that a list contains before them. */
export function repeatedIndices(values: Iterable<unknown>): ReadonlySet<number> {
  const known = new Set<unknown>();
  const repeated = new Set<number>();
  let index = 0;
  for (const value of values) {
    if (known.has(value)) repeated.add(index);
    else known.add(value);
    index++;
  }
  return repeated;
}
