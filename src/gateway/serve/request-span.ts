import { formatTraceParent, parseTraceParent } from "#/std/trace/trace-context.ts";
import type { Span, Tracer } from "#/std/trace/tracer.ts";
import type { OutgoingRequest } from "../outgoing/answer.ts";
import { changeFields } from "../table/apply-filters.ts";
import type { BackendRef } from "../table/route-target.ts";
import type { ClientExchange } from "./exchange.ts";

/**
 * The span of a client's request, within the client's own trace if it has one. Whether it is recorded is for the
 * gateway's configuration to say: anybody may call it. A query may contain secrets, and is left out.
 */
export function beginSpan(tracer: Tracer | undefined, exchange: ClientExchange): Span | undefined {
  if (!tracer) return undefined;
  const { method, target, host, fields, connection } = exchange;
  const given = parseTraceParent(fieldValue(fields, "traceparent"));
  const parent = given && { ...given, sampled: tracer.samples(given.traceId) };
  return tracer.start(parent, () => ({
    name: method,
    kind: "server",
    attributes: {
      "http.request.method": method,
      "url.path": target.replace(/^[a-z]+:\/\/[^/]*/i, "").split("?", 1)[0] ?? "",
      "url.scheme": connection.scheme,
      "server.address": host,
      "client.address": connection.address,
    },
  }));
}

/** Notes the backend, and returns the request with the span for a parent. */
export function withSpan(
  span: Span | undefined,
  ref: BackendRef,
  request: OutgoingRequest,
): OutgoingRequest {
  if (!span) return request;
  span.set({ "k8s.service.name": ref.service, "k8s.namespace.name": ref.namespace });
  const set = [["traceparent", formatTraceParent(span.context)]] as const;
  return { ...request, fields: changeFields(request.fields, { set, add: [], remove: [] }) };
}

/** Notes the status of the response; 0 if the client went before. */
export function noteStatus(span: Span | undefined, status: number): void {
  if (!span) return;
  if (status === 0) span.fail("the client went before there was a response");
  else span.set({ "http.response.status_code": status });
  if (status >= 500) span.fail(`status ${status}`);
}

function fieldValue(fields: readonly string[], name: string): string | undefined {
  for (let at = 0; at < fields.length; at += 2) if (fields[at] === name) return fields[at + 1];
  return undefined;
}
