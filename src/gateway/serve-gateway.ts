import type { Client } from "#/client/client.ts";
import { recorder } from "#/client/events/events.ts";
import { Informers } from "#/client/informers/informers.ts";
import type { Logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { processMetrics } from "#/std/metrics/process-metrics.ts";
import { type EndpointHandler, keepServing, splitHostPort } from "#/std/net/http-endpoint.ts";
import type { Clock } from "#/std/time/clock.ts";
import { publishEndpoint } from "./endpoint-publisher.ts";
import type { GatewayFlags } from "./flags.ts";
import { GatewayState } from "./gateway-state.ts";
import { IngressReporter } from "./ingress-reporter.ts";
import { type GatewayMetrics, gatewayMetrics } from "./metrics.ts";
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
  const reporter = new IngressReporter({
    client,
    recorder: recorder(client, { component: "k8ts-gateway", signal }),
    clock,
    log,
    state,
    ownService: flags.service,
  });
  changed = reporter.changed;
  let isReady = false;
  await using stack = new AsyncDisposableStack();
  openStatus(stack, options, registry, () => isReady, signal);
  await informers.synced();
  state.replan();
  const ports = await openListeners(stack, options, state, metrics, signal);
  isReady = true;
  log.info("serving routes", { ...ports, ingresses: state.plan.own.length });
  const endpoint = {
    service: flags.service,
    address: flags["publish-address"],
    nodeName: flags["node-name"],
    ports,
  };
  if (endpoint.address) await publishEndpoint(client, endpoint, { clock, log }, signal);
  await reporter.run(signal);
}

async function openListeners(
  stack: AsyncDisposableStack,
  options: GatewayOptions,
  state: GatewayState,
  metrics: GatewayMetrics,
  signal: AbortSignal,
): Promise<{ http: number; https: number }> {
  const { flags, clock } = options;
  const { backends } = state;
  const forwarder = stack.use(
    new Forwarder({
      table: () => state.plan.table,
      backends,
      clock,
      onReply(status, durationMs) {
        metrics.requests.with({ code: String(status) }).inc();
        metrics.duration.observe(durationMs / 1000);
      },
    }),
  );
  const shared = { forwarder, backends, clock };
  const plain = new Listener({ ...shared, publicPort: flags["public-http-port"] });
  const { contextFor } = state.certificates;
  const secure = new Listener({ ...shared, publicPort: flags["public-https-port"], contextFor });
  const listeners = [stack.use(plain), stack.use(secure)];
  metrics.connections.setFunction(() => listeners.reduce((sum, { size }) => sum + size, 0));
  return {
    http: await listen(plain, flags["http-port"], options, signal),
    https: await listen(secure, flags["https-port"], options, signal),
  };
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
