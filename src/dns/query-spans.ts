import { type OpenTracer, openTracer } from "#/component/open-tracer.ts";
import type { TracingConfiguration } from "#/component/parse-tracing-configuration.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { ObservedQuery, QueryObserver } from "./observed-handler.ts";

/** Sends a span for each query, or for a part of them, to a collector. Each is a trace of its own: DNS carries no context. */
export class QuerySpans implements QueryObserver, AsyncDisposable {
  readonly #tracing: OpenTracer;

  constructor(tracing: TracingConfiguration, clock: Clock, log: Logger) {
    this.#tracing = openTracer(tracing, { service: "cluster-dns", scope: "k8ts.dns", clock, log });
  }

  /** A query begins: what is returned is called when it is answered. */
  begin(): ((query: ObservedQuery) => void) | undefined {
    const span = this.#tracing.tracer.start(undefined, () => ({
      name: "dns query",
      kind: "server",
    }));
    if (!span) return undefined;
    return ({ name, type, rcode, transport, source, error }) => {
      span.set({
        "dns.question.name": name,
        "dns.question.type": type,
        "dns.response_code": rcode,
        "network.transport": transport,
        "k8ts.answered_from": source,
      });
      if (error !== undefined) span.fail(error);
      span.end();
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tracing[Symbol.asyncDispose]();
  }
}
