/** The stage in which decoding failed: parsing the text, or matching it to the kind. */
type DecodeStage = "syntax" | "value";

/**
 * The only error that decoding throws; its message is upstream's and is sent to the client with
 * status 400.
 */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  readonly stage: DecodeStage;

  constructor(message: string, stage: DecodeStage = "value", options?: ErrorOptions) {
    super(message, options);
    this.stage = stage;
  }
}

/** The error of upstream's strict decoders, with all unknown and duplicate fields. */
export function strictDecodingError(problems: readonly string[]): DecodeError {
  return new DecodeError(`strict decoding error: ${problems.join(", ")}`);
}

/** Limit of the part of an invalid body that the error message shows (bytes). */
const summaryBytes = 30;

interface FailedBody {
  /** The kind that the path serves. */
  readonly expected: string;
  /** The kind in the body; absent when it could not be read. */
  readonly actual?: { readonly kind: string; readonly version: string };
  readonly body: Uint8Array;
}

/**
 * The message of the 400 response for a body that cannot be decoded.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/rest.go.
 */
export function decodeFailureMessage(error: DecodeError, failed: FailedBody): string {
  const { expected, actual, body } = failed;
  if (actual !== undefined && actual.kind !== "") {
    return `${actual.kind} in version "${actual.version}" cannot be handled as a ${expected}: ${error.message}`;
  }
  return `the object provided is unrecognized (must be of type ${expected}): ${error.message} (${summary(body)})`;
}

function summary(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const start = Buffer.from(body.subarray(0, summaryBytes));
  const text = start.toString(body[0] === 0x7b ? "utf8" : "hex");
  return body.length > summaryBytes ? `${text} ...` : text;
}
