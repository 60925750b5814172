/** Credentials could not be obtained, so that no request can be sent. */
export class CredentialError extends Error {
  override readonly name = "CredentialError";
}
