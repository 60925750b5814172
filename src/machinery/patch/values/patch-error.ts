/**
 * A patch that cannot be applied, with upstream's message. The response depends on the code: 400
 * and 413 contain the message, 422 contains only "the server rejected our request due to an error
 * in our request", and 500 is only the message without a reason.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go.
 */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly code: 400 | 413 | 422 | 500;

  constructor(code: PatchError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
