const statuses = {
  BLOB_UNKNOWN: 404,
  BLOB_UPLOAD_INVALID: 400,
  BLOB_UPLOAD_UNKNOWN: 404,
  DIGEST_INVALID: 400,
  MANIFEST_BLOB_UNKNOWN: 404,
  MANIFEST_INVALID: 400,
  MANIFEST_UNKNOWN: 404,
  NAME_INVALID: 400,
  NAME_UNKNOWN: 404,
  SIZE_INVALID: 413,
  DENIED: 403,
  UNSUPPORTED: 405,
  TOOMANYREQUESTS: 429,
  UNAVAILABLE: 503,
} as const;

type RegistryErrorCode = keyof typeof statuses;

/** An error that a client gets, with a code of the specification. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
  readonly code: RegistryErrorCode;
  readonly status: number;

  constructor(code: RegistryErrorCode, message: string, status: number = statuses[code]) {
    super(message);
    this.code = code;
    this.status = status;
  }

  get body(): string {
    return `${JSON.stringify({ errors: [{ code: this.code, message: this.message }] })}\n`;
  }
}
