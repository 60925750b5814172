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
import { openCgroups } from "../cgroups/cgroup-filesystem.ts";
import { type KubeletFlags, kubeletFlags } from "../config/flags.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import type { KubeletMetrics } from "../server/kubelet-metrics.ts";
import { serveKubelet, serveReadOnly } from "../server/kubelet-server.ts";
import { cadvisorMetrics, resourceMetrics } from "../server/resource-metrics.ts";
import { Routes } from "../server/routes.ts";
import type { PodAccess } from "../state/pod-access.ts";
import { CgroupUsage } from "../stats/node-usage.ts";
import { StatsProvider } from "../stats/stats-summary.ts";
import { VolumeStats, volumeMetrics } from "../stats/volume-stats.ts";
import type { NodeVolumes } from "../volumes/node-volumes.ts";
import type { Machine } from "./open-machine.ts";

export interface ServerParts {
  readonly machine: Machine;
  readonly flags: KubeletFlags;
  readonly config: KubeletConfiguration;
  readonly client: Client;
  readonly clock: Clock;
  readonly pods: PodAccess;
  readonly metrics: KubeletMetrics;
  readonly volumes: Pick<NodeVolumes, "find">;
  /** Why the kubelet isn't healthy; undefined if it is. */
  healthProblem(): string | undefined;
}

export interface OpenedServers extends AsyncDisposable {
  readonly stats: StatsProvider;
}

/** Starts the kubelet's servers: its API, health, and what may be read by everybody if that is wanted. */
export async function openServers(parts: ServerParts): Promise<OpenedServers> {
  const { config } = parts;
  await using opening = new AsyncDisposableStack();
  const stats = await openStats(parts);
  const { metrics, pods } = parts;
  opening.use(processMetrics(metrics.registry, parts.clock));
  metrics.followPods(pods);
  const routes = openRoutes(parts, stats);
  if (config.enableServer) {
    const certificate = openCertificate(parts, opening);
    const { address, port } = config;
    const { nodeName } = parts.machine;
    const access = openAccess(parts, opening);
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
  const stack = opening.move();
  return { stats, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function openStats(parts: ServerParts): Promise<StatsProvider> {
  const { machine, config, clock, pods, volumes } = parts;
  const { cri, nodeName, directories, cgroups } = machine;
  return new StatsProvider({
    cri,
    clock,
    usage: new CgroupUsage(await openCgroups(), clock),
    pods,
    nodeName,
    rootDirectory: directories.root,
    podsCgroup: cgroups.path(),
    podCgroup: (pod) => cgroups.path(pod),
    startMs: clock.now(),
    volumes: new VolumeStats({
      clock,
      maxAgeMs: parseDuration(config.volumeStatsAggPeriod),
      path: (uid, name) => volumes.find(uid, name)?.path,
    }),
  });
}

/** The files given, or one that the cluster signs, or one of the kubelet's own. */
function openCertificate(
  { config, flags, client, clock, machine }: ServerParts,
  opening: AsyncDisposableStack,
): ServingCertificate {
  const { tlsCertFile = "", tlsPrivateKeyFile = "", serverTLSBootstrap } = config;
  if (tlsCertFile !== "" || !serverTLSBootstrap) {
    const files = { certFile: tlsCertFile, keyFile: tlsPrivateKeyFile };
    return opening.use(openServingCertificate(files, clock));
  }
  const { nodeName, ips } = machine;
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

function openRoutes(parts: ServerParts, stats: StatsProvider): Routes {
  const { machine, config, clock, pods, metrics, healthProblem } = parts;
  return new Routes({
    flagTexts: flagTexts(kubeletFlags, parts.flags),
    pods,
    cri: machine.cri,
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
      "/metrics/cadvisor": async () => cadvisorMetrics(await stats.summary(), machine.facts),
      "/metrics/probes": async () => [...metrics.probes.expose()].join(""),
    },
  });
}

function openAccess({ config, client, clock }: ServerParts, opening: AsyncDisposableStack) {
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
