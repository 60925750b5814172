import type { IncomingMessage } from "node:http";
import { requestUrl } from "#/std/net/request-url.ts";
import { parseTraceParent } from "#/std/trace/trace-context.ts";
import type { Span, Tracer } from "#/std/trace/tracer.ts";

/** The span of a request, within the trace of its client: for servers whose clients are known. A query is left out. */
export function beginRequestSpan(
  tracer: Tracer | undefined,
  request: IncomingMessage,
): Span | undefined {
  const { method = "", headers } = request;
  return tracer?.start(parseTraceParent(headers["traceparent"]?.toString()), () => ({
    name: method,
    kind: "server",
    attributes: {
      "http.request.method": method,
      "url.path": requestUrl(request).pathname,
      "user_agent.original": headers["user-agent"] ?? "",
    },
  }));
}

/** Ends it with the status of the response. */
export function endRequestSpan(span: Span | undefined, status: number): void {
  if (!span) return;
  span.set({ "http.response.status_code": status });
  if (status >= 500) span.fail(`status ${status}`);
  span.end();
}
