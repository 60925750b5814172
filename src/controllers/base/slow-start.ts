/** Upstream: pkg/controller/replicaset/replica_set.go (slowStartBatch). */

/**
 * Processes items in batches of 1, 2, 4…, each only if the previous batch had no error: an action
 * that always fails, such as creating beyond a quota, is not tried a thousand times. Throws the
 * first error.
 */
export async function slowStart<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  for (let [done, batch] = [0, 1]; done < items.length; done += batch, batch *= 2) {
    const results = await Promise.allSettled(items.slice(done, done + batch).map(work));
    const failed = results.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }
}
