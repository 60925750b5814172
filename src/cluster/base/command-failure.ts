/** A failure that its message explains: no stack is printed. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}
