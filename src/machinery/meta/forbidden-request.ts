import { goQuote } from "#/std/go/go-quote.ts";
import { forbidden, type ResourceName, type StatusError } from "./status-error.ts";

/** A request as messages about who may do what describe it. */
export interface DeniedRequest {
  readonly user: string;
  readonly verb: string;
  /** The path of a request for something other than a resource; then nothing below counts. */
  readonly path?: string;
  readonly resource?: ResourceName;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/**
 * The user may not do that; the reason is the authorizer's.
 *
 * Upstream: apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
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

/** Keeps a message from being taken for HTML. */
/** Makes a text harmless in a page. */
export function sanitize(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
