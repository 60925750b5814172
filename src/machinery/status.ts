/**
 * What the API answers instead of an object (metav1.Status), in the order of fields that Go writes.
 *
 * Upstream: apimachinery/pkg/apis/meta/v1/types.go.
 */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly status?: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  /** The HTTP status code. */
  readonly code?: number;
}

/** Machine-readable reasons of a failure; a peer may send others. */
export type StatusReason =
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Invalid"
  | "ServerTimeout"
  | "StorageReadError"
  | "Timeout"
  | "TooManyRequests"
  | "BadRequest"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "InternalError"
  | "Expired"
  | "ServiceUnavailable"
  | (string & {});

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The plural name of the resource, or a kind for invalid objects. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}
