/** A computation in steps: a caller may do other work between them, and nothing may change its input meanwhile. */
export type Steps<T> = Generator<undefined, T>;

/** Runs all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
