/**
 * A patch that cannot be applied. The message is upstream's own; what the client is told follows from the code: 400 and 413
 * carry the message, 422 only says "the server rejected our request due to an error in our request", and 500 is the bare
 * message without a reason.
 *
 * Upstream: apiserver/pkg/endpoints/handlers/patch.go.
 */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly code: 400 | 413 | 422 | 500;

  constructor(code: PatchError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
