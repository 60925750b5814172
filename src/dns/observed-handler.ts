import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { LogClass } from "./corefile/dns-config.ts";
import type { DnsMetrics } from "./metrics.ts";
import type { Resolution, Resolver } from "./resolver.ts";
import type { MessageHandler } from "./server.ts";
import { rcodes, recordTypes } from "./wire/record.ts";
import { bareReply } from "./wire/reply.ts";

const typeNames = new Map<number, string>(
  Object.entries(recordTypes).map(([name, number]) => [number, name]),
);

const rcodeNames = new Map<number, string>(
  Object.entries(rcodes).map(([name, number]) => [number, name.toUpperCase()]),
);

/** What is known of a query when it is answered. */
export interface ObservedQuery {
  readonly name: string;
  readonly type: string;
  readonly rcode: string;
  /** "udp" or "tcp". */
  readonly transport: string;
  /** Where the answer is from: the cluster, the cache, another server. */
  readonly source: string;
  readonly error?: string;
}

/** Gets queries besides metrics and logs: `begin` returns what is called with the answer, if it is wanted. */
export interface QueryObserver {
  begin(): ((query: ObservedQuery) => void) | undefined;
}

interface ObserveOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer?: QueryObserver | undefined;
}

/** A resolver as a server's handler, with metrics and the logs of its configuration. */
export function observedHandler(
  resolver: Resolver,
  metrics: DnsMetrics,
  { clock, log, observer }: ObserveOptions,
): MessageHandler {
  return async (message, transport) => {
    const began = clock.monotonicMs();
    const answered = observer?.begin();
    try {
      const resolution = await resolver.resolve(message, transport);
      const seconds = (clock.monotonicMs() - began) / 1000;
      const facts = factsOf(resolution, transport);
      count(metrics, resolution, facts, seconds);
      logQuery(log, resolution, facts, seconds);
      answered?.(observedQuery(resolution, facts));
      return resolution.reply;
    } catch (error) {
      log.error(error, "failed to answer DNS query");
      metrics.panics.inc();
      return bareReply(message, rcodes.ServFail);
    }
  };
}

interface QueryFacts {
  readonly proto: string;
  readonly type: string;
  readonly rcode: string;
  readonly zone: string;
}

function factsOf({ reply, query, block }: Resolution, proto: string): QueryFacts {
  return {
    proto,
    type: typeNames.get(query?.question.type ?? 0) ?? "other",
    rcode: rcodeNames.get((reply?.readUInt16BE(2) ?? 0) & 15) ?? "other",
    zone: `${block?.zones[0] ?? ""}.`,
  };
}

const observedQuery = (
  { query, source, error }: Resolution,
  { proto, type, rcode }: QueryFacts,
): ObservedQuery => ({
  ...{ name: query?.question.name ?? "", type, rcode, transport: proto, source },
  ...(error === undefined ? {} : { error: errorText(error) }),
});

const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

function count(
  metrics: DnsMetrics,
  { source }: Resolution,
  { proto, type, rcode, zone }: QueryFacts,
  seconds: number,
): void {
  const common = { server: "dns://:53", zone, view: "" };
  metrics.requests.with({ ...common, proto, family: "1", type }).inc();
  const plugin = source === "none" ? "" : source;
  metrics.responses.with({ ...common, rcode, plugin }).inc();
  metrics.duration.with(common).observe(seconds);
  if (source === "cache") metrics.cacheHits.inc();
  if (source === "forward") metrics.cacheMisses.inc();
}

function logQuery(
  log: Logger,
  { reply, query, block, error }: Resolution,
  { proto, type, rcode }: QueryFacts,
  seconds: number,
): void {
  if (!block || !query || !reply) return;
  const { name } = query.question;
  if (error && block.errors) {
    const reason = errorText(error);
    log.warning("failed to forward a query", { name, type, reason });
  }
  if (!block.log.has(classOf(rcode, reply))) return;
  log.info("answered", { name: `${name}.`, type, proto, rcode, bytes: reply.length, seconds });
}

function classOf(rcode: string, reply: Buffer): LogClass {
  if (rcode === "NXDOMAIN") return "denial";
  if (rcode !== "NOERROR") return "error";
  return reply.readUInt16BE(6) > 0 ? "success" : "denial";
}
