/** What was thrown, as an Error. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** What a promise is rejected with; undefined if it is fulfilled. */
export async function failureOf(work: Promise<unknown>): Promise<Error | undefined> {
  return await work.then(() => undefined, asError);
}
