/** A computation in steps: a caller may do other work between them, and nothing may change its input meanwhile. */
export type Steps<T> = Generator<undefined, T>;

/** The steps of a computation, or its result if it needs none. */
export type MaybeSteps<T> = T | Steps<T>;

/** A result that may need steps, as steps. */
export function* inSteps<T extends object>(value: MaybeSteps<T>): Steps<T> {
  return "next" in value ? yield* value : value;
}

/** Runs all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
