import { hostname } from "node:os";
import type { TracingConfiguration } from "#/component/parse-tracing-configuration.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { OtlpExporter } from "#/std/trace/otlp-exporter.ts";
import { Tracer } from "#/std/trace/tracer.ts";
import type { ObservedQuery, QueryObserver } from "./observed-handler.ts";

/** Sends a span for each query, or for a part of them, to a collector. Each is a trace of its own: DNS carries no context. */
export class QuerySpans implements QueryObserver, AsyncDisposable {
  readonly #tracer: Tracer;
  readonly #exporter: OtlpExporter;

  constructor({ address, ratio }: TracingConfiguration, clock: Clock, log: Logger) {
    const exporter = new OtlpExporter({
      address,
      clock,
      resource: { "service.name": "cluster-dns", "host.name": hostname() },
      scope: "k8ts.dns",
      onError: (error) => log.error(error, "failed to export spans"),
    });
    this.#exporter = exporter;
    this.#tracer = new Tracer({ clock, ratio, onEnd: (span) => exporter.add(span) });
  }

  /** A query begins: what is returned is called when it is answered. */
  begin(): ((query: ObservedQuery) => void) | undefined {
    const span = this.#tracer.start(undefined, () => ({ name: "dns query", kind: "server" }));
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
    await this.#exporter[Symbol.asyncDispose]();
  }
}
