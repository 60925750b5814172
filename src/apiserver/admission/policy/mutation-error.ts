/** A mutation could not be carried out; the failure policy decides what that means. */
export class MutationError extends Error {
  override readonly name = "MutationError";
}
