/** Something that went wrong for a reason that its message gives: no stack is shown. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}
