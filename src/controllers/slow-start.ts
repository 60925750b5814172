/** Upstream: pkg/controller/replicaset/replica_set.go (slowStartBatch). */

/**
 * Does something so many times, in batches of 1, 2, 4…, each only if the one before went well all through: what fails
 * every time, such as creating beyond a quota, is not tried a thousand times. Throws the first failure.
 */
export async function slowStart(
  count: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let done = 0;
  for (let batch = 1; done < count; batch *= 2) {
    const size = Math.min(batch, count - done);
    const start = done;
    const results = await Promise.allSettled(
      Array.from({ length: size }, (_, index) => work(start + index)),
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
    done += size;
  }
}
