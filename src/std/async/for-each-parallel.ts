/**
 * Calls a function for each item, up to a limit in parallel, in their order. A failure does not stop
 * the others; `failed` gets it with its item.
 */
export async function forEachParallel<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
  failed: (error: unknown, item: T) => void,
): Promise<void> {
  // All workers take from one iterator.
  const iterator = Iterator.from(items);
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) {
      const item = next.value;
      await work(item).catch((error: unknown) => failed(error, item));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, limit) }, worker));
}
