import { featureGates } from "#/machinery/component/feature-gates.ts";
import type { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { metricsContentType } from "#/std/metrics/metrics-text.ts";
import { processMetrics } from "#/std/metrics/process-metrics.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import type { Paths } from "../http/paths.ts";
import { bytesReply } from "../model/exchange.ts";
import type { Registry } from "../registry/registry.ts";

/** Metrics that can be written, and reset. */
interface Shown {
  expose(): Iterable<string>;
  restart(): void;
}

/**
 * Serves /metrics, and /metrics/slis with the results of health checks; a DELETE resets them if --profiling
 * is on.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/routes/metrics.go.
 */
export function addMetricsPath(
  paths: Paths,
  path: "/metrics" | "/metrics/slis",
  { metrics, resettable }: { readonly metrics: Shown; readonly resettable: boolean },
): void {
  paths.add(path, async ({ method }) => {
    if (resettable && method === "DELETE") {
      metrics.restart();
      return bytesReply(200, "text/plain; charset=utf-8", Buffer.from("metrics reset\n"));
    }
    const chunks = Array.from(metrics.expose(), (piece) => Buffer.from(piece));
    return bytesReply(200, metricsContentType, chunks);
  });
}

/** Dependencies of /metrics. */
interface MetricsOptions {
  readonly flags: ApiServerFlags;
  readonly registry: Registry;
  readonly metrics: Metrics;
  readonly version: Readonly<Record<string, string>>;
  enabled(feature: string): boolean;
}

/** Serves /metrics, with metrics of the process, the store and the build. */
export function openMetrics(
  paths: Paths,
  { flags, registry, metrics, version, enabled }: MetricsOptions,
): Disposable {
  using opening = new DisposableStack();
  opening.use(processMetrics(metrics, registry.clock));
  storeMetrics(metrics, registry, flags["etcd-count-metric-poll-period"] > 0);
  opening.use(sizeMetric(metrics, registry, flags["etcd-db-metric-poll-interval"]));
  addMetricsPath(paths, "/metrics", { metrics, resettable: flags.profiling });
  buildMetrics(metrics, version, enabled);
  return opening.move();
}

/**
 * Adds the build info and the enabled features.
 * Upstream: staging/src/k8s.io/component-base/metrics, staging/src/k8s.io/component-base/version.
 */
function buildMetrics(
  metrics: Metrics,
  version: Readonly<Record<string, string>>,
  enabled: (feature: string) => boolean,
): void {
  const labels = {
    build_date: version["buildDate"] ?? "",
    compiler: version["compiler"] ?? "",
    git_commit: version["gitCommit"] ?? "",
    git_tree_state: version["gitTreeState"] ?? "",
    git_version: version["gitVersion"] ?? "",
    go_version: version["goVersion"] ?? "",
    major: version["major"] ?? "",
    minor: version["minor"] ?? "",
    platform: version["platform"] ?? "",
  };
  const build = metrics.gauge({
    name: "kubernetes_build_info",
    help: "What this server was made of; always 1.",
    stability: "ALPHA",
    labels: Object.keys(labels),
  });
  build.with(labels).set(1);
  const features = metrics.gauge({
    name: "kubernetes_feature_enabled",
    help: "Whether a feature is on, by its stage.",
    stability: "BETA",
    labels: ["name", "stage"],
  });
  for (const [name, { stage }] of Object.entries(featureGates)) {
    const shown = stage === "GA" ? "" : stage;
    features.with({ name, stage: shown }).set(enabled(name) ? 1 : 0);
  }
}

/** Adds the size of the store, polled at an interval (--etcd-db-metric-poll-interval). */
function sizeMetric(metrics: Metrics, registry: Registry, intervalMs: number): Disposable {
  const size = metrics.gauge({
    name: "apiserver_storage_size_bytes",
    help: "Size of the storage database file physically allocated in bytes.",
    stability: "STABLE",
    labels: ["storage_cluster_id"],
  });
  const look = () =>
    registry.storage.sizeBytes().then(
      (bytes) => size.with({ storage_cluster_id: "etcd-0" }).set(bytes),
      // A store that does not report its size has no metric.
      () => size.reset(),
    );
  if (intervalMs <= 0) return { [Symbol.dispose]: () => undefined };
  void look();
  return registry.clock.every(intervalMs, () => void look(), { keepAlive: false });
}

/**
 * Adds metrics of the stores of all resources: the number of objects, unless turned off
 * (--etcd-count-metric-poll-period), and events sent to watchers.
 */
function storeMetrics(metrics: Metrics, registry: Registry, counted: boolean): void {
  const objects = metrics.gauge({
    name: "apiserver_storage_objects",
    help: "Objects in the store, by resource.",
    stability: "STABLE",
    labels: ["resource"],
  });
  const grouped = metrics.gauge({
    name: "apiserver_resource_objects",
    help: "Objects in the store, by group and resource.",
    stability: "ALPHA",
    labels: ["group", "resource"],
  });
  const events = metrics.counter({
    name: "apiserver_watch_events_total",
    help: "Events sent to watchers.",
    stability: "ALPHA",
    labels: ["group", "resource", "version"],
  });
  const watchers = metrics.gauge({
    name: "apiserver_registered_watchers",
    help: "Watchers of each resource.",
    stability: "ALPHA",
    labels: ["group", "kind", "version"],
  });
  metrics.beforeExpose(() => {
    for (const gauge of [objects, grouped, watchers]) gauge.reset();
    for (const { declaration, store } of registry.catalog.resources) {
      const { group, version, name, kind } = declaration.handle;
      if (declaration.verbs) continue;
      const { size } = store.cache;
      const resource = group === "" ? name : `${name}.${group}`;
      if (counted) {
        objects.with({ resource }).set(size);
        grouped.with({ group, resource: name }).set(size);
      }
      if (store.eventsSent > 0) {
        events.with({ group, resource: name, version }).inc(store.eventsSent);
        store.eventsSent = 0;
      }
      watchers.with({ group, kind, version }).set(store.cache.watcherCount);
    }
  });
}
