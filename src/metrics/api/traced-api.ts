import type { ComponentApi } from "#/component/component-server.ts";
import { beginRequestSpan, endRequestSpan } from "#/component/request-span.ts";
import type { Tracer } from "#/std/trace/tracer.ts";

/** The same API, with a span for each request: the aggregator passes the trace of its client on. */
export function tracedApi(api: ComponentApi, tracer: Tracer): ComponentApi {
  return {
    attributesOf: api.attributesOf,
    answer(url, request) {
      const span = beginRequestSpan(tracer, request);
      let status = 500;
      try {
        const reply = api.answer(url, request);
        status = reply ? (reply.status ?? 200) : 404;
        return reply;
      } finally {
        endRequestSpan(span, status);
      }
    },
  };
}
