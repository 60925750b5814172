import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { DnsMetrics } from "./metrics.ts";
import type { Resolver } from "./resolver.ts";
import type { MessageHandler } from "./server.ts";
import { rcodes, recordTypes } from "./wire/record.ts";
import { bareReply } from "./wire/reply.ts";

const typeNames = new Map<number, string>(
  Object.entries(recordTypes).map(([name, number]) => [number, name]),
);

const rcodeNames = new Map<number, string>(
  Object.entries(rcodes).map(([name, number]) => [number, name.toUpperCase()]),
);

const plugins = { zone: "kubernetes", cache: "cache", forward: "forward", none: "" } as const;

/** A resolver as a server's handler, with metrics. */
export function observedHandler(
  resolver: Resolver,
  metrics: DnsMetrics,
  { clock, log, zone: domain }: { clock: Clock; log: Logger; zone: string },
): MessageHandler {
  return async (message, transport) => {
    const began = clock.monotonicMs();
    try {
      const { reply, query, source } = await resolver.resolve(message, transport);
      const zone = source === "zone" ? `${domain}.` : ".";
      const common = { server: "dns://:53", zone, view: "" };
      const type = typeNames.get(query?.question.type ?? 0) ?? "other";
      metrics.requests.with({ ...common, proto: transport, family: "1", type }).inc();
      const rcode = rcodeNames.get((reply?.readUInt16BE(2) ?? 0) & 15) ?? "other";
      metrics.responses.with({ ...common, rcode, plugin: plugins[source] }).inc();
      metrics.duration.with(common).observe((clock.monotonicMs() - began) / 1000);
      if (source === "cache") metrics.cacheHits.inc();
      if (source === "forward") metrics.cacheMisses.inc();
      return reply;
    } catch (error) {
      log.error(error, "failed to answer DNS query");
      return bareReply(message, rcodes.ServFail);
    }
  };
}
