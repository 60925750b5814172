import { nodes } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import { tracingOfFlags } from "#/component/tracing-configuration.ts";
import { aborted } from "#/std/async/aborted.ts";
import { systemRandom } from "#/std/base/random.ts";
import { FileContent } from "#/std/files/file-content.ts";
import type { Logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { processMetrics } from "#/std/metrics/process-metrics.ts";
import { splitHostPort } from "#/std/net/host-port.ts";
import { type EndpointHandler, keepServing } from "#/std/net/http-endpoint.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type ConfigChange, followConfig } from "./config-source.ts";
import type { DnsConfig, Upstream } from "./corefile/dns-config.ts";
import { CorefileError } from "./corefile/read-corefile.ts";
import { defaultConfig } from "./default-config.ts";
import type { DnsFlags } from "./flags.ts";
import { Exchanger } from "./forward/exchange.ts";
import type { Forwarder } from "./forward/forwarder.ts";
import { nameservers, parseUpstream } from "./forward/resolv-conf.ts";
import { informerState } from "./informer-state.ts";
import { LoopGuard } from "./loop-guard.ts";
import { type DnsMetrics, dnsMetrics } from "./metrics.ts";
import { dnsAddresses } from "./node-address.ts";
import { observedHandler } from "./observed-handler.ts";
import { Resolver } from "./resolver.ts";
import { type RunningBlock, RunningConfig } from "./running-config.ts";
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
  using resources = new DisposableStack();
  const exchanger = resources.use(new Exchanger(clock));
  const resolvConf = resolvConfOf(options, resources);
  const isSelf = ({ host, port }: Upstream): boolean =>
    loopGuard.looping || (port === flags.port && bound.includes(host));
  const random = systemRandom;
  const running = {
    ...{ state, clock, random, resolvConf, isSelf, exchange: exchanger.ask },
    serial: Math.floor(clock.now() / 1000),
    onAttempt: attemptObserver(metrics),
  };
  let config: RunningConfig | undefined;
  const use = (wanted: DnsConfig): RunningConfig => {
    config = new RunningConfig(wanted, running, config);
    showConfig(metrics, config);
    void loopGuard.probe(config.blocks.flatMap(loopForwarders));
    return config;
  };
  const initial = defaultConfig({
    ...{ domain: flags["cluster-domain"], ttl: flags.ttl },
    upstreams: flags.upstream.map(parseUpstream),
  });
  const current = (): RunningConfig => config ?? use(initial);
  registry.beforeExpose(() => metrics.cacheEntries.set(cacheSize(current())));
  const resolver = new Resolver({
    ...{ config: current, loopGuard, random, clock },
    onRefused: () => metrics.forwardRefusals.inc(),
    onPrefetch: () => metrics.cachePrefetches.inc(),
    onStale: () => metrics.cacheStale.inc(),
  });
  await using stack = new AsyncDisposableStack();
  const observer = stack.use(await openSpans(options));
  const handler = observedHandler(resolver, metrics, { clock, log, observer });
  openStatus(stack, options, registry, () => state.synced && bound.length > 0, signal);
  const hosts = await bindAddresses(options, informers, signal);
  for (const host of hosts) {
    stack.use(await openServer(host, flags.port, handler, options, signal));
    bound.push(host);
  }
  log.info("serving DNS", { addresses: hosts.join(","), port: flags.port });
  const followed = followCorefile(options, informers, (change) => {
    const chosen = chosenConfig(change, initial, { metrics, log });
    if (chosen) use(chosen);
  });
  if (followed) resources.use(followed);
  use(initial);
  await aborted(signal);
}

/** Undefined if no collector is configured: then nothing of it is loaded. */
async function openSpans({ flags, clock, log }: DnsOptions) {
  const tracing = tracingOfFlags(flags);
  if (!tracing) return undefined;
  const { QuerySpans } = await import("./query-spans.ts");
  return new QuerySpans(tracing, clock, log);
}

function followCorefile(
  { flags }: DnsOptions,
  informers: Informers,
  changed: (change: ConfigChange) => void,
): Disposable | undefined {
  const { "corefile-configmap": configMap, port } = flags;
  return configMap === "" ? undefined : followConfig({ informers, configMap, port }, changed);
}

/** Undefined if the last configuration stays. */
function chosenConfig(
  { found }: ConfigChange,
  initial: DnsConfig,
  { metrics, log }: { readonly metrics: DnsMetrics; readonly log: Logger },
): DnsConfig | undefined {
  if (found instanceof CorefileError) {
    metrics.reloadFailures.inc();
    log.warning("the Corefile can't be used, the last one stays", { problem: found.message });
    return undefined;
  }
  log.info("using the configuration", { from: found ? "Corefile" : "flags" });
  return found ?? initial;
}

const loopForwarders = ({ config, forwards }: RunningBlock): Forwarder[] =>
  config.loop ? forwards.map(({ forwarder }) => forwarder) : [];

const cacheSize = ({ blocks }: RunningConfig): number =>
  blocks.reduce((sum, { cache }) => sum + (cache?.size ?? 0), 0);

function showConfig(metrics: DnsMetrics, { blocks }: RunningConfig): void {
  metrics.hostsEntries.set(
    blocks.reduce((sum, { config }) => sum + (config.hosts?.addresses.size ?? 0), 0),
  );
  metrics.plugins.reset();
  for (const { config } of blocks) {
    const { hosts, kubernetes, cache, rewrites, forwards, loop, log, errors } = config;
    const enabled = { hosts, kubernetes, cache, loop, errors };
    const lists = { rewrite: rewrites.length, forward: forwards.length, log: log.size };
    for (const [name, isOn] of Object.entries({ ...enabled, ...lists })) {
      const labels = { server: "dns://:53", zone: `${config.zones[0] ?? ""}.`, view: "", name };
      if (isOn) metrics.plugins.with(labels).set(1);
    }
  }
}

/** The servers of the node's resolv.conf. */
function resolvConfOf({ flags, clock }: DnsOptions, files: DisposableStack): () => Upstream[] {
  if (flags["resolv-conf"] === "") return () => [];
  const file = files.use(
    new FileContent(flags["resolv-conf"], (bytes) => nameservers(bytes.toString()), clock),
  );
  return () => file.value;
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
