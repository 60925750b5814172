import { goQuote } from "#/std/go/go-quote.ts";
import { forbidden, type ResourceName, type StatusError } from "./status-error.ts";

/** The attributes of a request in authorization messages. */
export interface DeniedRequest {
  readonly user: string;
  readonly verb: string;
  /** The path of a non-resource request; then the fields below are ignored. */
  readonly path?: string;
  readonly resource?: ResourceName;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/**
 * 403: the user is not allowed to do this. The reason is the authorizer's.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
 */
export function forbiddenRequest(request: DeniedRequest, reason: string): StatusError {
  const message = sanitize(deniedMessage(request));
  const detail = reason === "" ? message : `${message}: ${reason}`;
  return forbidden(request.resource, request.name ?? "", detail);
}

function deniedMessage({
  user,
  verb,
  path,
  resource,
  subresource,
  namespace,
}: DeniedRequest): string {
  const who = `User ${goQuote(user)} cannot ${verb}`;
  if (resource === undefined) return `${who} path ${goQuote(path ?? "")}`;
  const what = goQuote(subresource ? `${resource.name}/${subresource}` : resource.name);
  const where = namespace ? `in the namespace ${goQuote(namespace)}` : "at the cluster scope";
  return `${who} resource ${what} in API group ${goQuote(resource.group)} ${where}`;
}

/** Escapes text so that it is not interpreted as HTML. */
export function sanitize(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
