import { nodes } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import { aborted } from "#/std/async/aborted.ts";
import { systemRandom } from "#/std/base/random.ts";
import { FileContent } from "#/std/files/file-content.ts";
import type { Logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { processMetrics } from "#/std/metrics/process-metrics.ts";
import { type EndpointHandler, keepServing, splitHostPort } from "#/std/net/http-endpoint.ts";
import type { Clock } from "#/std/time/clock.ts";
import { ClusterZone } from "./cluster-zone.ts";
import type { DnsFlags } from "./flags.ts";
import type { Upstream } from "./forward/exchange.ts";
import { Forwarder } from "./forward/forwarder.ts";
import { ReplyCache } from "./forward/reply-cache.ts";
import { nameservers, parseUpstream } from "./forward/resolv-conf.ts";
import { informerState } from "./informer-state.ts";
import { LoopGuard } from "./loop-guard.ts";
import { type DnsMetrics, dnsMetrics } from "./metrics.ts";
import { dnsAddresses } from "./node-address.ts";
import { observedHandler } from "./observed-handler.ts";
import { Resolver } from "./resolver.ts";
import { DnsServer, type MessageHandler } from "./server.ts";

/** Retry interval (ms) of listening on an address that doesn't exist yet. */
const retryMs = 100;

interface DnsOptions {
  readonly flags: DnsFlags;
  readonly nodeName: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Answers DNS queries until the signal aborts. */
export async function serveDns(options: DnsOptions, signal: AbortSignal): Promise<void> {
  const { flags, client, clock, log } = options;
  const informers = new Informers(client, signal, { clock });
  const state = informerState(informers);
  const registry = new Registry();
  using _process = processMetrics(registry);
  const metrics = dnsMetrics(registry);
  const loopGuard = new LoopGuard(log);
  const bound: string[] = [];
  using files = new DisposableStack();
  const upstreams = upstreamSource(options, files, () => (loopGuard.looping ? "all" : bound));
  const forwarder = new Forwarder({ clock, upstreams, onAttempt: attemptObserver(metrics) });
  const cache = new ReplyCache(clock);
  registry.beforeExpose(() => metrics.cacheEntries.set(cache.size));
  const serial = Math.floor(clock.now() / 1000);
  const zone = new ClusterZone(flags["cluster-domain"], state, { ttl: flags.ttl, serial });
  const onRefused = () => metrics.forwardRefusals.inc();
  const random = systemRandom;
  const resolver = new Resolver({ zone, forwarder, cache, loopGuard, random, onRefused });
  const handler = observedHandler(resolver, metrics, { clock, log, zone: flags["cluster-domain"] });
  await using stack = new AsyncDisposableStack();
  openStatus(stack, options, registry, () => state.synced && bound.length > 0, signal);
  const hosts = await bindAddresses(options, informers, signal);
  for (const host of hosts) {
    stack.use(await openServer(host, flags.port, handler, options, signal));
    bound.push(host);
  }
  log.info("serving DNS", { addresses: hosts.join(","), port: flags.port });
  await loopGuard.probe(forwarder);
  await aborted(signal);
}

/** The upstream servers, except ourselves. */
function upstreamSource(
  { flags, clock }: DnsOptions,
  files: DisposableStack,
  excluded: () => readonly string[] | "all",
): () => readonly Upstream[] {
  const given = flags.upstream.map(parseUpstream);
  const file =
    given.length > 0 || flags["resolv-conf"] === ""
      ? undefined
      : files.use(
          new FileContent(flags["resolv-conf"], (bytes) => nameservers(bytes.toString()), clock),
        );
  return () => {
    const without = excluded();
    if (without === "all") return [];
    const isSelf = ({ host, port }: Upstream): boolean =>
      port === flags.port && without.includes(host);
    return (file?.value ?? given).filter((upstream) => !isSelf(upstream));
  };
}

/** The addresses of the flags, or those of the Node, once they are known. */
async function bindAddresses(
  { flags, nodeName }: DnsOptions,
  informers: Informers,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (flags["bind-address"].length > 0) return flags["bind-address"];
  const informer = informers.informer(nodes, { fieldSelector: `metadata.name=${nodeName}` });
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  const look = (): void => {
    const node = informer.store.get("", nodeName);
    const addresses = node ? dnsAddresses(node) : [];
    if (addresses.length > 0) resolve(addresses);
  };
  using _looking = informer.subscribe({ added: look, updated: look });
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return await promise;
}

/** Listens as soon as the address exists and its port is free. */
async function openServer(
  host: string,
  port: number,
  handler: MessageHandler,
  { clock, log }: DnsOptions,
  signal: AbortSignal,
): Promise<DnsServer> {
  for (let logged = ""; ; ) {
    try {
      return await DnsServer.open(host, port, handler, clock);
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      if (code !== "EADDRNOTAVAIL" && code !== "EADDRINUSE") throw error;
      if (code !== logged) log.warning("waiting for the address", { host, port, reason: message });
      logged = code;
      await clock.sleep(retryMs, signal);
    }
  }
}

function openStatus(
  stack: AsyncDisposableStack,
  { flags, clock, log }: DnsOptions,
  registry: Registry,
  ready: () => boolean,
  signal: AbortSignal,
): void {
  const address = splitHostPort(flags["status-bind-address"]);
  if (!address) return;
  const handler: EndpointHandler = (path) => {
    if (path === "/health") return { body: "OK" };
    if (path === "/ready") return ready() ? { body: "OK" } : { status: 503, body: "kubernetes" };
    return path === "/metrics" ? { body: registry.expose() } : undefined;
  };
  const onFailure = (error: unknown): void => log.error(error, "failed to serve status");
  stack.use(keepServing(address, handler, { clock, signal, onFailure }));
}

function attemptObserver(metrics: DnsMetrics) {
  return ({ host, port }: Upstream, seconds: number, error: unknown): void => {
    metrics.forwardDuration.with({ to: `${host}:${port}` }).observe(seconds);
    if (error) metrics.forwardFailures.inc();
  };
}
