import type { Resource } from "#/api/base/resource.ts";
import type { Status, StatusCause, StatusDetails } from "#/api/meta/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { type FieldError, formatFieldErrorBody, formatFieldErrors } from "./field-error.ts";

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

/**
 * The only error that crosses a component's boundary: it carries what the API answers. Made by the factories of this
 * file alone, so that each message has one home.
 *
 * Upstream: apimachinery/pkg/api/errors/errors.go.
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

/** What a stale write is told. */
const modifiedObject =
  "the object has been modified; please apply your changes to the latest version and try again";

/** The object does not exist. */
export const notFound = (resource: ResourceName, name: string): StatusError =>
  failure(404, "NotFound", `${named(resource, name)} not found`, about(resource, name));

/** Another object has the name. */
export const alreadyExists = (resource: ResourceName, name: string): StatusError =>
  failure(409, "AlreadyExists", `${named(resource, name)} already exists`, about(resource, name));

/** No free name could be made from generateName. */
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

/** The write does not fit what is stored now. */
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

/** Server-side apply met fields of other managers. */
export const applyConflict = (causes: StatusCause[], message: string): StatusError =>
  failure(409, "Conflict", message, causes.length > 0 ? { causes } : {});

/** Validation refused the object. */
export function invalid(kind: KindName, name: string, errors: readonly FieldError[]): StatusError {
  const subject = `${qualified(kind.kind, kind.group)} ${goQuote(name)} is invalid`;
  const causes = errors.map((error) => ({
    reason: error.type,
    message: formatFieldErrorBody(error),
    field: error.field,
  }));
  return failure(
    422,
    "Invalid",
    errors.length === 0 ? subject : `${subject}: ${formatFieldErrors(errors)}`,
    {
      ...about({ group: kind.group, name: kind.kind }, name),
      ...(causes.length > 0 ? { causes } : {}),
    },
  );
}

/** The request makes no sense. */
export const badRequest = (message: string): StatusError => failure(400, "BadRequest", message);

/** Nobody knows who asks. */
export const unauthorized = (message = "not authorized"): StatusError =>
  failure(401, "Unauthorized", message);

/** The action is not allowed; an undefined resource stands for a path that is none. */
export function forbidden(
  resource: ResourceName | undefined,
  name: string,
  detail: string,
): StatusError {
  if (resource === undefined) return failure(403, "Forbidden", `forbidden: ${detail}`, {});
  const subject = name === "" ? qualified(resource.name, resource.group) : named(resource, name);
  return failure(403, "Forbidden", `${subject} is forbidden: ${detail}`, about(resource, name));
}

/** History before the wanted resource version is gone. */
export const resourceExpired = (message: string): StatusError => failure(410, "Expired", message);

/** The caller must wait. */
export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  failure(429, "TooManyRequests", message, retry(retryAfterSeconds));

/** The request took too long; it may still be carried out. */
export const timeout = (message: string, retryAfterSeconds: number): StatusError =>
  failure(504, "Timeout", `Timeout: ${message}`, retry(retryAfterSeconds));

/** The wanted resource version lies in the future. */
export function tooLargeResourceVersion(
  wanted: number,
  current: number,
  retryAfterSeconds: number,
): StatusError {
  const message = `Timeout: Too large resource version: ${wanted}, current: ${current}`;
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

/** The body is in a media type that is not read here. */
export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  failure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );

/** The client wants a media type that is not written here, maybe after conversion to a target type. */
export const notAcceptable = (accepted: readonly string[], target?: string): StatusError =>
  failure(
    406,
    "NotAcceptable",
    `only the following media types are accepted${target === undefined ? "" : ` when converting to ${target}`}: ${accepted.join(", ")}`,
  );

/** What there is cannot be given in the form that was asked for. */
export const notAcceptableForm = (message: string): StatusError =>
  failure(406, "NotAcceptable", message);

/** The path is not served in what the client accepts: it gets no further than the router. */
export const noRepresentation = (available: readonly string[]): StatusError =>
  failure(
    406,
    "NotAcceptable",
    `406: Not Acceptable\n\nAvailable representations: ${available.join(", ")}`,
    {},
  );

/** The path does not take bodies of this media type: they get no further than the router. */
export const noSuchBody = (): StatusError =>
  failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});

/** The server failed; the cause is kept for the log. */
export function internalError(cause: Error): StatusError {
  const message = `Internal error occurred: ${cause.message}`;
  const causes = [cause.message === "" ? {} : { message: cause.message }];
  return new StatusError(failureStatus(500, "InternalError", message, { causes }), { cause });
}

/** The server failed in a way that has no reason of its own: only the message, as upstream answers. */
export const unexplained = (message: string): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    code: 500,
  });

/** A patch could not be applied; why is in the log only, as upstream has it. */
export const rejectedPatch = (): StatusError =>
  failure(422, "Invalid", "the server rejected our request due to an error in our request", {});

/** A backend is not there now. */
export const serviceUnavailable = (message: string): StatusError =>
  failure(503, "ServiceUnavailable", message);

/** A Status that a server sent, as an error. */
export const fromStatus = (status: Status): StatusError => new StatusError(status);

/** Whether an error is a StatusError, with this reason if one is given. */
export function isStatusError(error: unknown, reason?: StatusReason): error is StatusError {
  return error instanceof StatusError && (reason === undefined || error.reason === reason);
}

/** Whether an error says that an object does not exist. */
export const isNotFound = (error: unknown): boolean => isStatusError(error, "NotFound");

/** For `.catch()`: of an object that does not exist there is nothing; other errors are thrown on. */
export function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** Whether an error says that a name is taken. */
export const isAlreadyExists = (error: unknown): boolean => isStatusError(error, "AlreadyExists");

/** Whether an error says that a write came too late. */
export const isConflict = (error: unknown): boolean => isStatusError(error, "Conflict");

/** Validation refused it. */
export const isInvalid = (error: unknown): boolean => isStatusError(error, "Invalid");

/** Whether something can't be created because its namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!isStatusError(error)) return false;
  const { causes = [] } = error.status.details ?? {};
  return causes.some(({ reason }) => reason === "NamespaceTerminating");
}

/** Whether an error says that a watch or list must start anew. */
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
