import { GrpcError } from "#/std/grpc/grpc.ts";
import {
  AccessDeniedError,
  AmbiguousWriteError,
  CorruptError,
  NoSpaceError,
  StorageError,
  TooLargeError,
  UnavailableError,
} from "../base/storage.ts";

/** Meaning of a failed etcd request. */
type EtcdFailure =
  /** The requested revision is compacted; etcd does not report up to which revision. */
  | { readonly kind: "compacted" }
  /** The lease of a put has expired; nothing was written. */
  | { readonly kind: "lease not found" }
  /** The response exceeded our size limit; the request was executed. */
  | { readonly kind: "answer too large" }
  /** Nothing was done, and a retry, maybe at another member, can succeed. */
  | { readonly kind: "refused"; readonly reason: string }
  /**
   * The connection failed: the request may have been executed, may be executed later, or was lost.
   */
  | { readonly kind: "unknown"; readonly reason: string }
  /** Nothing was done, and a retry would fail again. */
  | { readonly kind: "final"; readonly error: StorageError };

/** Messages of etcd for requests that were not proposed to the cluster, or not applied. */
const refusals = [
  "raft proposal dropped",
  "etcdserver: revision of auth store is old",
  "etcdserver: no leader",
  "etcdserver: too many requests",
  "etcdserver: not capable",
  "etcdserver: rpc not supported for learner",
];

type ErrorClass = new (message: string, options: ErrorOptions) => StorageError;

const finals: readonly (readonly [string, ErrorClass])[] = [
  ["etcdserver: mvcc: database space exceeded", NoSpaceError],
  ["etcdserver: request is too large", TooLargeError],
  ["grpc: received message larger than max", TooLargeError],
  ["etcdserver: permission denied", AccessDeniedError],
  ["etcdserver: user name is empty", AccessDeniedError],
  ["etcdserver: invalid auth token", AccessDeniedError],
  ["etcdserver: authentication failed", AccessDeniedError],
  ["etcdserver: corrupt cluster", CorruptError],
];

/** Codes with which etcd itself, not the transport, refuses a request. */
const finalCodes: readonly string[] = [
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "FAILED_PRECONDITION",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "DATA_LOSS",
  "UNAUTHENTICATED",
];

/**
 * Classifies an error of a call. Errors that are not from gRPC (a bug, an invalid response) are
 * rethrown.
 * Upstream: etcd api/v3rpc/rpctypes/error.go.
 */
export function classifyFailure(error: unknown): EtcdFailure {
  if (!(error instanceof GrpcError)) throw error;
  const { code, details } = error;
  if (!error.sent) return { kind: "refused", reason: details };
  if (details.includes("mvcc: required revision has been compacted")) return { kind: "compacted" };
  if (details.includes("etcdserver: requested lease not found")) return { kind: "lease not found" };
  if (details.startsWith("Received message larger than max")) return { kind: "answer too large" };
  if (refusals.some((text) => details.includes(text))) return { kind: "refused", reason: details };
  for (const [text, FinalError] of finals) {
    if (details.includes(text)) {
      return { kind: "final", error: new FinalError(details, { cause: error }) };
    }
  }
  if (finalCodes.includes(code)) {
    return { kind: "final", error: new StorageError(details, { cause: error }) };
  }
  return { kind: "unknown", reason: error.message };
}

/** The error of a read, or of a write that was not executed, after its timeout. */
export function unavailable(reason: string, cause: unknown): UnavailableError {
  return new UnavailableError(`etcd is not available: ${reason}`, { cause });
}

/** The error for a write that may have happened. */
export function ambiguous(reason: string, cause: unknown): AmbiguousWriteError {
  const message = `etcd may or may not have done this write: ${reason}`;
  return new AmbiguousWriteError(message, { cause });
}

/** Whether an error of a call is of this kind. */
export function isFailure(error: unknown, kind: EtcdFailure["kind"]): boolean {
  return error instanceof GrpcError && classifyFailure(error).kind === kind;
}

/** The error for callers of the store, for an error of a call that was not handled further in. */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof GrpcError)) return error;
  return new StorageError(`etcd: ${error.details}`, { cause: error });
}
