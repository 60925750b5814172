import type { Node } from "#/api/core/v1.ts";
import {
  type EndpointHandler,
  type HttpEndpoint,
  serveHttp,
  splitHostPort,
} from "#/std/http-endpoint.ts";
import { healthzReply, livezReply } from "./health/health-replies.ts";
import type { ProxyHealth } from "./health/proxy-health.ts";
import type { ProxyOptions } from "./serve-proxy.ts";

/** When to try again to open a port that is taken. */
const retryMs = 5000;

export interface StatusOptions extends ProxyOptions {
  readonly health: ProxyHealth;
  /** The node that this is, if it is known. */
  node(): Node | undefined;
  readonly signal: AbortSignal;
}

/** Serves /healthz and /livez on one address, and /metrics and the like on another. */
export function serveStatus(options: StatusOptions): AsyncDisposable {
  const { config, health, metrics, registry } = options;
  const healthz: EndpointHandler = (path) => {
    if (path === "/healthz") return healthzReply(health, options.node(), metrics);
    return path === "/livez" ? livezReply(health, metrics) : undefined;
  };
  const json = { "content-type": "application/json" };
  const status: EndpointHandler = (path) => {
    if (path === "/healthz") return { body: "ok" };
    if (path === "/proxyMode") return { body: config.mode };
    if (path === "/metrics") return { headers: metricsType, body: registry.expose() };
    if (path !== "/configz") return undefined;
    return { headers: json, body: JSON.stringify({ "kubeproxy.config.k8s.io": config }) };
  };
  const servers = [
    keepServing(config.healthzBindAddress, healthz, options),
    keepServing(config.metricsBindAddress, status, options),
  ];
  const close = async (): Promise<void> => {
    for (const server of servers) await (await server)?.[Symbol.asyncDispose]();
  };
  return { [Symbol.asyncDispose]: close };
}

const metricsType = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };

/** Opens an address, as often as it takes; an empty one is not to be served. */
async function keepServing(
  address: string,
  handler: EndpointHandler,
  { clock, log, signal }: StatusOptions,
): Promise<HttpEndpoint | undefined> {
  const where = splitHostPort(address);
  while (where && !signal.aborted) {
    try {
      return await serveHttp(where, handler);
    } catch (error) {
      log.error(error, "server failed", { address });
      await clock.sleep(retryMs, signal).catch(() => undefined);
    }
  }
  return undefined;
}
