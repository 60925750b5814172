/**
 * Adds items to the end of a list. `list.push(...items)` passes each item as an argument, and fails with some 100,000:
 * as many as a client may send.
 */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
