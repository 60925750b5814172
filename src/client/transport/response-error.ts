import type { Status } from "#/api/meta/v1.ts";
import { fromServerResponse } from "#/machinery/meta/server-response.ts";
import { fromStatus, type ResourceName, type StatusError } from "#/machinery/meta/status-error.ts";
import type { ApiRequest, ApiResponse, Headers } from "./transport.ts";

/** The subject of a request, for error messages of responses without a Status. */
export interface RequestSubject {
  readonly resource?: ResourceName | undefined;
  readonly name?: string | undefined;
}

/** Limit of the shown part of a body that is no Status (characters); upstream's. */
const maxMessageLength = 2048;

/**
 * The error of a response; undefined if it is successful.
 *
 * Upstream: staging/src/k8s.io/client-go/rest/request.go (transformResponse).
 */
export function responseError(
  request: Pick<ApiRequest, "method">,
  response: Pick<ApiResponse, "status" | "headers" | "body">,
  subject: RequestSubject = {},
): StatusError | undefined {
  const { status, body } = response;
  if (isStatus(body)) {
    if (status < 400 && body.status !== "Failure") return undefined;
    return fromStatus(body.code === undefined ? { ...body, code: status } : body);
  }
  if (status >= 200 && status < 300) return undefined;
  const message = messageOf(body);
  return fromServerResponse({
    code: status,
    verb: request.method,
    ...(subject.resource ? { resource: subject.resource } : {}),
    ...(subject.name ? { name: subject.name } : {}),
    message,
    retryAfterSeconds: retryAfterSeconds(response.headers) ?? 0,
    unexpected: true,
  });
}

/** The seconds of a Retry-After header; undefined if there is none. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers["retry-after"];
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
}

function isStatus(body: unknown): body is Status {
  const { kind, apiVersion } = (body ?? {}) as { kind?: unknown; apiVersion?: unknown };
  return kind === "Status" && apiVersion === "v1";
}

function messageOf(body: unknown): string {
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
  return (text.trim() || "unknown").slice(0, maxMessageLength);
}
