/** A thrown value as an Error. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** The rejection of a promise; undefined if it is fulfilled. */
export async function failureOf(work: Promise<unknown>): Promise<Error | undefined> {
  return await work.then(() => undefined, asError);
}
