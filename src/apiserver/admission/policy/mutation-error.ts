/** A mutation failed; the failure policy decides the outcome. */
export class MutationError extends Error {
  override readonly name = "MutationError";
}
