import type { Resource } from "#/api/base/resource.ts";
import type { Status, StatusCause, StatusDetails } from "#/api/meta/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { type FieldError, formatFieldErrorBody, joinMessages } from "./field-error.ts";

/** Machine-readable reasons of a failure; a server may send others. */
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

/**
 * The only error that crosses a component's boundary: it carries the API's Status. Only the
 * factories of this file create it, so that each message is defined once.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go.
 */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? "", options);
    this.status = status;
  }

  get code(): number {
    return this.status.code ?? 500;
  }

  get reason(): StatusReason {
    return this.status.reason ?? "";
  }
}

/** The part of a handle that names a resource in messages: pods, deployments.apps. */
export type ResourceName = Pick<Resource, "group" | "name">;

/** The part of a handle that names a kind in messages: Pod, Deployment.apps. */
export type KindName = Pick<Resource, "group" | "kind">;

/** Message for a write with an old resourceVersion. */
const modifiedObject =
  "the object has been modified; please apply your changes to the latest version and try again";

/** The object does not exist. */
export const notFound = (resource: ResourceName, name: string): StatusError =>
  failure(404, "NotFound", `${named(resource, name)} not found`, about(resource, name));

/** An object of that name exists already. */
export const alreadyExists = (resource: ResourceName, name: string): StatusError =>
  failure(409, "AlreadyExists", `${named(resource, name)} already exists`, about(resource, name));

/** No unused name could be generated from generateName. */
export const generateNameConflict = (
  resource: ResourceName,
  name: string,
  retryAfterSeconds: number,
): StatusError =>
  failure(
    409,
    "AlreadyExists",
    `${named(resource, name)} already exists, the server was not able to generate a unique name for the object`,
    { ...about(resource, name), ...retry(retryAfterSeconds) },
  );

/** The write conflicts with the stored object. */
export const conflict = (
  resource: ResourceName,
  name: string,
  detail: string = modifiedObject,
): StatusError =>
  failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${named(resource, name)}: ${detail}`,
    about(resource, name),
  );

/** Server-side apply would change fields of other managers. */
export const applyConflict = (causes: StatusCause[], message: string): StatusError =>
  failure(409, "Conflict", message, causes.length > 0 ? { causes } : {});

/** Validation refused the object. */
export function invalid(kind: KindName, name: string, errors: readonly FieldError[]): StatusError {
  const subject = `${qualified(kind.kind, kind.group)} ${goQuote(name)} is invalid`;
  const { causes, message } = describeErrors(errors);
  return failure(422, "Invalid", errors.length === 0 ? subject : `${subject}: ${message}`, {
    ...about({ group: kind.group, name: kind.kind }, name),
    ...(causes.length > 0 ? { causes } : {}),
  });
}

/**
 * Limit of the text about the errors of one object (characters). Upstream has none, and answers a short list of bad
 * values with megabytes.
 */
const maxErrorCharacters = 128 * 1024;

const shortened = (text: string): string =>
  text.length <= maxErrorCharacters ? text : `${text.slice(0, maxErrorCharacters)}… (truncated)`;

/** The errors as causes and as one message, as far as the limit allows. */
function describeErrors(errors: readonly FieldError[]) {
  const causes: { reason: string; message: string; field: string }[] = [];
  const messages = new Set<string>();
  let characters = 0;
  for (const error of errors) {
    const { type: reason, field } = error;
    const message = shortened(formatFieldErrorBody(error));
    characters += field.length + message.length;
    if (characters > maxErrorCharacters && causes.length > 0) break;
    causes.push({ reason, message, field });
    messages.add(`${field}: ${message}`);
  }
  const omitted = errors.length - causes.length;
  if (omitted > 0) messages.add(`and ${omitted} more errors`);
  return { causes, message: joinMessages(messages) };
}

/** The request is malformed. */
export const badRequest = (message: string): StatusError => failure(400, "BadRequest", message);

/** The client is not authenticated. */
export const unauthorized = (message = "not authorized"): StatusError =>
  failure(401, "Unauthorized", message);

/** The action is not allowed; resource is undefined for a non-resource path. */
export function forbidden(
  resource: ResourceName | undefined,
  name: string,
  detail: string,
): StatusError {
  if (resource === undefined) return failure(403, "Forbidden", `forbidden: ${detail}`, {});
  const subject = name === "" ? qualified(resource.name, resource.group) : named(resource, name);
  return failure(403, "Forbidden", `${subject} is forbidden: ${detail}`, about(resource, name));
}

/** The requested resource version is too old: its history is compacted. */
export const resourceExpired = (message: string): StatusError => failure(410, "Expired", message);

/** The caller must wait. */
export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  failure(429, "TooManyRequests", message, retry(retryAfterSeconds));

/** The request timed out; it may still be carried out. */
export const timeout = (message: string, retryAfterSeconds: number): StatusError =>
  failure(504, "Timeout", `Timeout: ${message}`, retry(retryAfterSeconds));

/** The requested resource version is newer than the current one. */
export function tooLargeResourceVersion(
  requested: number,
  current: number,
  retryAfterSeconds: number,
): StatusError {
  const message = `Timeout: Too large resource version: ${requested}, current: ${current}`;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return failure(504, "Timeout", message, { causes, ...retry(retryAfterSeconds) });
}

/** The resource has no such verb. */
export const methodNotSupported = (resource: ResourceName, action: string): StatusError =>
  failure(
    405,
    "MethodNotAllowed",
    `${action} is not supported on resources of kind ${goQuote(qualified(resource.name, resource.group))}`,
    about(resource, ""),
  );

/** The group version exists, but not this resource or subresource. */
export const noSuchResource = (): StatusError =>
  failure(404, "NotFound", "the server could not find the requested resource", {});

/** The path exists, but not with this method. */
export const methodNotAllowed = (): StatusError =>
  failure(
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    {},
  );

/** The body is over the limit. */
export const requestEntityTooLarge = (message: string): StatusError =>
  failure(413, "RequestEntityTooLarge", `Request entity too large: ${message}`);

/** The body's media type is not supported. */
export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  failure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );

/**
 * No media type that the client accepts is supported, possibly after conversion to a target type.
 */
export const notAcceptable = (accepted: readonly string[], target?: string): StatusError =>
  failure(
    406,
    "NotAcceptable",
    `only the following media types are accepted${target === undefined ? "" : ` when converting to ${target}`}: ${accepted.join(", ")}`,
  );

/** The object is not available in the requested form. */
export const notAcceptableForm = (message: string): StatusError =>
  failure(406, "NotAcceptable", message);

/** The router has no representation of the path in a media type that the client accepts. */
export const noRepresentation = (available: readonly string[]): StatusError =>
  failure(
    406,
    "NotAcceptable",
    `406: Not Acceptable\n\nAvailable representations: ${available.join(", ")}`,
    {},
  );

/** The router does not accept bodies of this media type for the path. */
export const noSuchBody = (): StatusError =>
  failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});

/** The server failed; the cause is kept for the log. */
export function internalError(cause: Error): StatusError {
  const message = `Internal error occurred: ${cause.message}`;
  const causes = [cause.message === "" ? {} : { message: cause.message }];
  return new StatusError(failureStatus(500, "InternalError", message, { causes }), { cause });
}

/** The server failed without a specific reason: only the message, as upstream responds. */
export const statusWithoutReason = (message: string): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    code: 500,
  });

/** A patch could not be applied; as upstream, the cause is only in the log. */
export const rejectedPatch = (): StatusError =>
  failure(422, "Invalid", "the server rejected our request due to an error in our request", {});

/** A backend is not available now. */
export const serviceUnavailable = (message: string): StatusError =>
  failure(503, "ServiceUnavailable", message);

/** An error from the Status that a server sent. */
export const fromStatus = (status: Status): StatusError => new StatusError(status);

/** Whether an error is a StatusError, with this reason if one is given. */
export function isStatusError(error: unknown, reason?: StatusReason): error is StatusError {
  return error instanceof StatusError && (reason === undefined || error.reason === reason);
}

/** Whether an error says that an object does not exist. */
export const isNotFound = (error: unknown): boolean => isStatusError(error, "NotFound");

/** For `.catch()`: undefined for an object that does not exist; other errors are thrown again. */
export function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** Whether an error says that an object of that name exists already. */
export const isAlreadyExists = (error: unknown): boolean => isStatusError(error, "AlreadyExists");

/** Whether an error is a conflict with a newer write. */
export const isConflict = (error: unknown): boolean => isStatusError(error, "Conflict");

/** Whether an error says that validation rejected the object. */
export const isInvalid = (error: unknown): boolean => isStatusError(error, "Invalid");

/** Whether an object cannot be created because its namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!isStatusError(error)) return false;
  const { causes = [] } = error.status.details ?? {};
  return causes.some(({ reason }) => reason === "NamespaceTerminating");
}

/** Whether an error says that a watch or list must restart. */
export const isGone = (error: unknown): boolean =>
  error instanceof StatusError && error.code === 410;

/** `deployments.apps`, or `pods` in the core group. */
export const qualified = (name: string, group: string): string =>
  group === "" ? name : `${name}.${group}`;

const named = (resource: ResourceName, name: string): string =>
  `${qualified(resource.name, resource.group)} ${goQuote(name)}`;

function about(resource: ResourceName, name: string): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.name,
  };
}

const retry = (seconds: number): StatusDetails =>
  seconds === 0 ? {} : { retryAfterSeconds: seconds };

function failure(
  code: number,
  reason: StatusReason,
  message: string,
  details?: StatusDetails,
): StatusError {
  return new StatusError(failureStatus(code, reason, message, details));
}

function failureStatus(
  code: number,
  reason: StatusReason,
  message: string,
  details?: StatusDetails,
): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    ...(message === "" ? {} : { message }),
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  };
}
