/** Credentials that can't be had, so that nothing can be asked. */
export class CredentialError extends Error {
  override readonly name = "CredentialError";
}
