import type { Logger } from "#/std/log/log.ts";
import { type HealthCheck, pingCheck } from "#/std/metrics/health.ts";
import { HealthMetrics } from "#/std/metrics/health-metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import type { Paths } from "../http/paths.ts";
import { addHealth } from "./health-paths.ts";
import { addMetricsPath } from "./serve-metrics.ts";
import { afterGrace, startHooks } from "./start-hooks.ts";

interface HealthOptions {
  readonly flags: ApiServerFlags;
  readonly enabled: (feature: string) => boolean;
  readonly storage: Storage;
  /** Checks of encryption at rest. */
  readonly keys: readonly HealthCheck[];
  readonly isStarted: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Serves the server's health at /healthz, /livez and /readyz, with upstream's checks in upstream's order; a stopping
 * server is not ready.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/healthz.go,
 * staging/src/k8s.io/apiserver/pkg/server/options/etcd.go.
 */
export function openHealth(paths: Paths, options: HealthOptions, signal: AbortSignal): void {
  const { flags, enabled, storage, keys, clock, log } = options;
  const named = (name: string, check: HealthCheck["check"]): HealthCheck => ({ name, check });
  const lines = named("log", () => undefined);
  const certificate = named("loopback-serving-certificate", () => undefined);
  const etcd = named("etcd", () => storage.health(flags["etcd-healthcheck-timeout"]));
  const readiness = named("etcd-readiness", () => storage.health(flags["etcd-readycheck-timeout"]));
  const isSynced = named("informer-sync", () => undefined);
  const shutdown = named("shutdown", () => signal.throwIfAborted());
  const hooks = startHooks(
    {
      priorityAndFairness: flags["enable-priority-and-fairness"],
      elections: enabled("CoordinatedLeaderElection"),
      peers: enabled("UnknownVersionInteroperabilityProxy"),
      proxyCertificate: flags["proxy-client-cert-file"] !== "",
    },
    options.isStarted,
  );
  const graceful = hooks.map((hook) => afterGrace(hook, clock, flags["livez-grace-period"]));
  const base = [pingCheck, lines, certificate, etcd, ...keys];
  const slis = new HealthMetrics();
  addMetricsPath(paths, "/metrics/slis", { metrics: slis, resettable: flags.profiling });
  addHealth(
    paths,
    {
      healthz: [...base, ...hooks],
      livez: [...base, ...graceful],
      readyz: [pingCheck, lines, etcd, readiness, ...keys, isSynced, ...hooks, shutdown],
    },
    slis,
    (name, error) => log.error(error, "health check failed", { name }),
  );
}
