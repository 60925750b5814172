import type { Client } from "#/client/client.ts";
import { recorder } from "#/client/events/events.ts";
import { Informers } from "#/client/informers/informers.ts";
import { tracingOfFlags } from "#/component/tracing-configuration.ts";
import { systemRandom } from "#/std/base/random.ts";
import type { Logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { processMetrics } from "#/std/metrics/process-metrics.ts";
import { splitHostPort } from "#/std/net/host-port.ts";
import { type EndpointHandler, keepServing } from "#/std/net/http-endpoint.ts";
import type { Clock } from "#/std/time/clock.ts";
import { publishEndpoint } from "./endpoint-publisher.ts";
import type { GatewayFlags } from "./flags.ts";
import { GatewayApiReporter } from "./gateway-api-reporter.ts";
import { GatewayPorts } from "./gateway-ports.ts";
import { GatewayState } from "./gateway-state.ts";
import { IngressReporter } from "./ingress-reporter.ts";
import { gatewayMetrics, replyCounter } from "./metrics.ts";
import { openLocalAuthority } from "./open-local-authority.ts";
import { Forwarder } from "./serve/forwarder.ts";
import { Listener } from "./serve/listener.ts";

interface GatewayOptions {
  readonly flags: GatewayFlags;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Retry interval (ms) of an address that is in use or does not exist yet. */
const retryMs = 2_000;

/** Serves all routes until the signal aborts. */
export async function serveGateway(options: GatewayOptions, signal: AbortSignal): Promise<void> {
  const { flags, client, clock, log } = options;
  const registry = new Registry();
  using _process = processMetrics(registry);
  const metrics = gatewayMetrics(registry);
  const informers = new Informers(client, signal, { clock });
  let changed = (): void => undefined;
  using state = new GatewayState({
    informers,
    clock,
    localDomain: flags["local-domain"],
    ownService: flags.service,
    metrics,
    onPlan: () => changed(),
  });
  const events = recorder(client, { component: "k8ts-gateway", signal });
  const shared = { client, recorder: events, clock, log, state };
  const reporter = new IngressReporter({ ...shared, ownService: flags.service });
  let isReady = false;
  await using stack = new AsyncDisposableStack();
  openStatus(stack, options, registry, () => isReady, signal);
  await informers.synced();
  state.replan();
  await openAuthority(options, state);
  const tracing = stack.use(await openTracing(options));
  const forwarder = stack.use(
    new Forwarder({
      backends: state.backends,
      clock,
      random: systemRandom,
      onReply: replyCounter(metrics),
      tracer: tracing?.tracer,
    }),
  );
  const gatewayPorts = stack.use(
    new GatewayPorts({
      state,
      forwarder,
      clock,
      log,
      bindAddress: flags["bind-address"],
      onListening: () => apiReporter.changed(),
    }),
  );
  const apiReporter = new GatewayApiReporter({
    ...shared,
    ports: gatewayPorts,
    publishAddress: flags["publish-address"],
    nodeName: flags["node-name"],
  });
  changed = () => {
    gatewayPorts.update();
    reporter.changed();
    apiReporter.changed();
  };
  const ports = await openListeners(stack, options, state, forwarder, signal);
  metrics.connections.setFunction(() => ports.size() + gatewayPorts.size);
  isReady = true;
  changed();
  log.info("serving routes", { ...ports.bound, ingresses: state.plan.own.length });
  const endpoint = {
    service: flags.service,
    address: flags["publish-address"],
    nodeName: flags["node-name"],
    ports: ports.bound,
  };
  if (endpoint.address) await publishEndpoint(client, endpoint, { clock, log }, signal);
  await Promise.all([reporter.run(signal), apiReporter.run(signal)]);
}

/** Undefined if no collector is configured: then nothing of it is loaded. */
async function openTracing({ flags, clock, log }: GatewayOptions) {
  const tracing = tracingOfFlags(flags);
  if (!tracing) return undefined;
  const { openTracer } = await import("#/component/open-tracer.ts");
  return openTracer(tracing, { service: "k8ts-gateway", scope: "k8ts.gateway", clock, log });
}

/** Names below the local domain have certificates of the cluster's own authority. */
async function openAuthority(
  { flags, client, clock, log }: GatewayOptions,
  { certificates }: GatewayState,
): Promise<void> {
  const domain = flags["local-domain"];
  const [namespace = ""] = flags.service.split("/");
  if (domain === "") return;
  certificates.authority = await openLocalAuthority({ client, clock, log, namespace, domain });
}

/** Opens the ports of Ingresses. */
async function openListeners(
  stack: AsyncDisposableStack,
  options: GatewayOptions,
  state: GatewayState,
  forwarder: Forwarder,
  signal: AbortSignal,
): Promise<{ bound: { http: number; https: number }; size: () => number }> {
  const { flags, clock } = options;
  const shared = { forwarder, clock, findTable: () => state.plan.table };
  const plain = new Listener({ ...shared, publicPort: flags["public-http-port"] });
  const { contextFor } = state.certificates;
  const secure = new Listener({ ...shared, publicPort: flags["public-https-port"], contextFor });
  const listeners = [stack.use(plain), stack.use(secure)];
  const bound = {
    http: await listen(plain, flags["http-port"], options, signal),
    https: await listen(secure, flags["https-port"], options, signal),
  };
  return { bound, size: () => listeners.reduce((sum, { size }) => sum + size, 0) };
}

/** Listens as soon as the address exists and its port is free. */
async function listen(
  listener: Listener,
  port: number,
  { flags, clock, log }: GatewayOptions,
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    try {
      return await listener.listen(port, flags["bind-address"]);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code !== "EADDRINUSE" && code !== "EADDRNOTAVAIL") throw error;
      log.error(error, "failed to listen, trying again", { port });
      await clock.sleep(retryMs, signal);
    }
  }
}

function openStatus(
  stack: AsyncDisposableStack,
  { flags, clock, log }: GatewayOptions,
  registry: Registry,
  isReady: () => boolean,
  signal: AbortSignal,
): void {
  const address = splitHostPort(flags["status-bind-address"]);
  if (!address) return;
  const handler: EndpointHandler = (path) => {
    if (path === "/healthz") return { body: "ok" };
    if (path === "/readyz") {
      return isReady() ? { body: "ok" } : { status: 503, body: "routes are not known yet" };
    }
    return path === "/metrics" ? { body: registry.expose() } : undefined;
  };
  const onFailure = (error: unknown): void => log.error(error, "failed to serve status");
  stack.use(keepServing(address, handler, { clock, signal, onFailure }));
}
