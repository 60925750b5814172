import type { Node } from "#/api/core/v1.ts";
import { ComponentPages } from "#/component/component-pages.ts";
import { splitHostPort } from "#/std/net/host-port.ts";
import { type EndpointHandler, keepServing } from "#/std/net/http-endpoint.ts";
import { requestUrl } from "#/std/net/request-url.ts";
import { healthzReply, livezReply } from "./health/health-replies.ts";
import type { ProxyHealth } from "./health/proxy-health.ts";
import type { ProxyOptions } from "./serve-proxy.ts";

interface StatusOptions extends ProxyOptions {
  readonly health: ProxyHealth;
  /** The own Node, if it is known. */
  node(): Node | undefined;
  /** Called when an address can't be opened and --bind-address-hard-fail is set. */
  onFatal(error: unknown): void;
  readonly signal: AbortSignal;
}

/** Serves /healthz and /livez on one address, and /metrics and the like on another. */
export function serveStatus(options: StatusOptions): AsyncDisposable {
  const { config, health, metrics, registry, clock, log, signal } = options;
  const healthz: EndpointHandler = (path) => {
    if (path === "/healthz") return healthzReply(health, options.node(), metrics);
    return path === "/livez" ? livezReply(health, metrics) : undefined;
  };
  const json = { "content-type": "application/json" };
  const pages = new ComponentPages({
    name: "kube-proxy",
    flagTexts: options.flagTexts,
    paths: ["/configz", "/healthz", "/metrics", "/proxyMode"],
    clock,
  });
  const status: EndpointHandler = (path, request) => {
    if (path === "/healthz") return { body: "ok" };
    if (path === "/proxyMode") return { body: config.mode };
    if (path === "/metrics") return { headers: metricsType, body: registry.expose() };
    if (path !== "/configz") return pages.answer(requestUrl(request), request);
    return { headers: json, body: JSON.stringify({ "kubeproxy.config.k8s.io": config }) };
  };
  const servers = new AsyncDisposableStack();
  for (const [address, handler] of [
    [config.healthzBindAddress, healthz],
    [config.metricsBindAddress, status],
  ] as const) {
    const where = splitHostPort(address);
    const onFailure = (error: unknown): void => {
      log.error(error, "failed to serve status", { address });
      if (config.bindAddressHardFail) options.onFatal(error);
    };
    if (where) servers.use(keepServing(where, handler, { clock, signal, onFailure }));
  }
  return servers;
}

const metricsType = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
