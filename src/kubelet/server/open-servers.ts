/** Upstream: cmd/kubelet/app/auth.go, pkg/kubelet/server/server.go. */
import type { Client } from "#/client/client.ts";
import { authoritiesOfFile } from "#/component/client-authorities.ts";
import { DelegatedAuthentication } from "#/component/delegated-authentication.ts";
import { DelegatedAuthorization } from "#/component/delegated-authorization.ts";
import {
  openServingCertificate,
  type ServingCertificate,
} from "#/component/serving-certificate.ts";
import { flagTexts } from "#/std/flags/flags.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { processMetrics } from "#/std/metrics/process-metrics.ts";
import { serveHttp } from "#/std/net/http-endpoint.ts";
import type { Clock } from "#/std/time/clock.ts";
import { RotatingServingCertificate } from "../certificates/serving-certificate.ts";
import { type KubeletFlags, kubeletFlags } from "../config/flags.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import type { Cri } from "../cri/runtime-service.ts";
import type { MachineFacts } from "../node/machine-facts.ts";
import type { PodAccess } from "../state/pod-access.ts";
import type { StatsProvider } from "../stats/stats-summary.ts";
import { volumeMetrics } from "../stats/volume-stats.ts";
import type { KubeletMetrics } from "./kubelet-metrics.ts";
import { serveKubelet, serveReadOnly } from "./kubelet-server.ts";
import { cadvisorMetrics, resourceMetrics } from "./resource-metrics.ts";
import { Routes } from "./routes.ts";

interface ServersOptions {
  readonly nodeName: string;
  readonly ips: readonly string[];
  readonly facts: MachineFacts;
  readonly cri: Cri;
  readonly flags: KubeletFlags;
  readonly config: KubeletConfiguration;
  readonly client: Client;
  readonly clock: Clock;
  readonly pods: PodAccess;
  readonly metrics: KubeletMetrics;
  readonly stats: StatsProvider;
  /** Why the kubelet isn't healthy; undefined if it is. */
  healthProblem(): string | undefined;
}

/** Starts the kubelet's servers: its API, health, and the read-only one if that is configured. */
export async function openServers(options: ServersOptions): Promise<AsyncDisposable> {
  const { config, clock, metrics, pods, nodeName } = options;
  await using opening = new AsyncDisposableStack();
  opening.use(processMetrics(metrics.registry, clock));
  metrics.followPods(pods);
  const routes = openRoutes(options);
  if (config.enableServer) {
    const certificate = openCertificate(options, opening);
    const { address, port } = config;
    const access = openAccess(options, opening);
    opening.use(await serveKubelet({ address, port, nodeName, certificate, routes, ...access }));
    if (config.readOnlyPort) opening.use(await serveReadOnly(address, config.readOnlyPort, routes));
  }
  if (config.healthzPort > 0) {
    const address = { host: config.healthzBindAddress, port: config.healthzPort };
    opening.use(
      await serveHttp(address, (path) => {
        const reply = path === "/healthz" ? routes.health() : undefined;
        return reply && { ...reply, body: String(reply.body) };
      }),
    );
  }
  return opening.move();
}

/** The certificate of the given files, or one that the cluster signs, or a self-signed one. */
function openCertificate(
  { config, flags, client, clock, nodeName, ips }: ServersOptions,
  opening: AsyncDisposableStack,
): ServingCertificate {
  const { tlsCertFile = "", tlsPrivateKeyFile = "", serverTLSBootstrap } = config;
  if (tlsCertFile !== "" || !serverTLSBootstrap) {
    const files = { certFile: tlsCertFile, keyFile: tlsPrivateKeyFile };
    return opening.use(openServingCertificate(files, clock));
  }
  const rotating = new RotatingServingCertificate({
    client,
    clock,
    certificateDirectory: flags["cert-dir"],
    nodeName,
    ips,
  });
  const ending = new AbortController();
  opening.defer(() => ending.abort());
  void rotating.run(ending.signal);
  return opening.use(rotating);
}

function openRoutes(options: ServersOptions): Routes {
  const { flags, cri, facts, config, clock, pods, stats, metrics, healthProblem } = options;
  return new Routes({
    flagTexts: flagTexts(kubeletFlags, flags),
    pods,
    cri,
    clock,
    configuration: () => config,
    debugging: config.enableDebuggingHandlers,
    systemLogs: config.enableSystemLogHandler,
    summary: () => stats.full(),
    healthProblem,
    metrics: {
      "/metrics": async () =>
        [...metrics.registry.expose()].join("") + volumeMetrics(await stats.volumes()),
      "/metrics/resource": async () => resourceMetrics(await stats.summary()),
      "/metrics/cadvisor": async () => cadvisorMetrics(await stats.summary(), facts),
      "/metrics/probes": async () => [...metrics.probes.expose()].join(""),
    },
  });
}

function openAccess({ config, client, clock }: ServersOptions, opening: AsyncDisposableStack) {
  const { anonymous, webhook, x509 } = config.authentication;
  const file = x509.clientCAFile
    ? opening.use(authoritiesOfFile(x509.clientCAFile, clock))
    : undefined;
  const authentication = new DelegatedAuthentication({
    client,
    clock,
    anonymous: anonymous.enabled,
    cacheTtlMs: parseDuration(webhook.cacheTTL),
    ...(file && { clientAuthorities: () => file.value }),
  });
  const { mode, webhook: caching } = config.authorization;
  const authorization =
    mode === "AlwaysAllow"
      ? undefined
      : new DelegatedAuthorization({
          client,
          clock,
          authorizedTtlMs: parseDuration(caching.cacheAuthorizedTTL),
          unauthorizedTtlMs: parseDuration(caching.cacheUnauthorizedTTL),
        });
  return { authentication, authorization };
}
