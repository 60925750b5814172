/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/filters/traces.go,
 * staging/src/k8s.io/apiserver/pkg/endpoints/handlers/trace_util.go.
 */

import { table } from "#/std/base/table.ts";
import { parseTraceParent, type TraceContext } from "#/std/trace/trace-context.ts";
import { type Attributes, type SpanStart, spanned, type Tracer } from "#/std/trace/tracer.ts";
import { type Exchange, type Filter, header, type Reply } from "../model/exchange.ts";
import type { RequestInfo } from "../model/request-info.ts";

/** Groups whose requests may be part of a client's trace. */
const trusted: ReadonlySet<string> = new Set(["system:masters", "system:monitoring"]);

/** A span for each request, after authentication, as a child of the client's span if the client is trusted. */
export function traceRequests(tracer: Tracer): Filter {
  return async function traceRequestsFilter(exchange, next) {
    const remote = parseTraceParent(header(exchange, "traceparent"));
    const parent = remote && isTrusted(exchange) ? remote : undefined;
    const link = parent ? undefined : remote;
    const span = tracer.start(parent, () => describe(exchange, link));
    if (!span) return next(exchange);
    return span.run(async () => {
      const reply = await next(exchange);
      span.set({ "http.response.status_code": reply.status });
      if (reply.status >= 500) span.fail("");
      return reply;
    });
  };
}

/** A span for a filter, and all behind it. */
export const traceStep =
  (name: string, filter: Filter): Filter =>
  (exchange, next) =>
    spanned(
      name,
      () => ({}),
      () => filter(exchange, next),
    );

/** A span for a verb, inside that of its request. */
export const traceVerbs: Filter = (exchange, next): Promise<Reply> => {
  const name = verbNames[exchange.info.verb];
  if (name === undefined) return next(exchange);
  return spanned(
    name,
    () => verbAttributes(exchange),
    () => next(exchange),
  );
};

const verbNames: Readonly<Record<string, string>> = table({
  create: "Create",
  get: "Get",
  list: "List",
  watch: "WatchServer.HandleHTTP",
  update: "Update",
  patch: "Patch",
  delete: "Delete",
  deletecollection: "Delete",
});

const isTrusted = ({ user }: Exchange): boolean =>
  user?.groups.some((group) => trusted.has(group)) ?? false;

function describe(exchange: Exchange, link: TraceContext | undefined): SpanStart {
  const { method, info } = exchange;
  return {
    name: info.isResourceRequest ? `${method} ${pattern(info)}` : method,
    kind: "server",
    attributes: requestAttributes(exchange),
    links: link ? [link] : [],
  };
}

function pattern(info: RequestInfo): string {
  return [
    "",
    info.apiPrefix,
    ...(info.apiGroup === "" ? [] : [info.apiGroup]),
    info.apiVersion,
    ...(info.namespace === "" ? [] : ["namespaces", "{:namespace}"]),
    info.resource,
    ...(info.name === "" ? [] : ["{:name}"]),
    ...(info.subresource === "" ? [] : [info.subresource]),
  ].join("/");
}

function requestAttributes(exchange: Exchange): Attributes {
  const { method, rawPath, query, peer, auditId } = exchange;
  const text = exchange.rawQuery ?? query.toString();
  return {
    "http.request.method": method,
    "http.target": text === "" ? rawPath : `${rawPath}?${text}`,
    "url.path": rawPath,
    "url.scheme": peer.secure ? "https" : "http",
    "client.address": peer.address,
    "network.peer.address": peer.address,
    "network.protocol.version": exchange.http2 ? "2.0" : "1.1",
    "user_agent.original": header(exchange, "user-agent") ?? "",
    "audit-id": auditId,
  };
}

function verbAttributes(exchange: Exchange): Attributes {
  const { info, auditId, peer, path } = exchange;
  return {
    accept: header(exchange, "accept") ?? "",
    "audit-id": auditId,
    client: peer.address,
    "api-group": info.apiGroup,
    "api-version": info.apiVersion,
    name: info.name,
    subresource: info.subresource,
    namespace: info.namespace,
    protocol: exchange.http2 ? "HTTP/2.0" : "HTTP/1.1",
    resource: info.resource,
    scope: scopeOf(info),
    url: path,
    "user-agent": header(exchange, "user-agent") ?? "",
    verb: exchange.method,
  };
}

function scopeOf({ name, verb, namespace }: RequestInfo): string {
  if (name !== "" || verb === "create") return "resource";
  return namespace === "" ? "cluster" : "namespace";
}
