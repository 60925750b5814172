/**
 * The results of all promises, once all have settled; throws the first error, in the order given.
 */
export async function settleAll<Work extends readonly unknown[]>(
  work: Work,
): Promise<{ -readonly [At in keyof Work]: Awaited<Work[At]> }> {
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  // None has failed: this only reads the values.
  return await Promise.all(work);
}
