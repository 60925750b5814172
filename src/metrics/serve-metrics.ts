/** Upstream: sigs.k8s.io/metrics-server, pkg/server. */
import { readFileSync } from "node:fs";
import { type Node, nodes, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import type { ObjectStore } from "#/client/informers/object-store.ts";
import type { Credentials } from "#/client/transport/credentials.ts";
import { serveComponent } from "#/component/component-server.ts";
import { tracingOfFlags } from "#/component/tracing-configuration.ts";
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import type { Selector } from "#/machinery/meta/labels.ts";
import type { Logger } from "#/std/log/log.ts";
import type { HealthCheck } from "#/std/metrics/health.ts";
import type { Registry } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import { metricsApi } from "./api/answer.ts";
import type { Measurements } from "./api/select-objects.ts";
import { tracedApi } from "./api/traced-api.ts";
import type { MetricsServerFlags } from "./flags.ts";
import { KubeletClient } from "./kubelet-client.ts";
import { Publisher } from "./publisher.ts";
import { Scraper } from "./scraper.ts";
import { freshnessMetric, type ScrapeMetrics, scrapeMetrics } from "./usage/metrics.ts";

interface ServeOptions {
  readonly flags: MetricsServerFlags;
  readonly flagTexts: Readonly<Record<string, string>>;
  readonly client: Client;
  /** The credentials of the kubeconfig, which kubelets accept as well; undefined if there are none. */
  readonly credentials: Credentials | undefined;
  /** Whether objects are the API server's own, in its process: then a part of one would only be a copy. */
  readonly sharesObjects: boolean;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Reads the kubelets and serves the metrics API until the signal aborts. */
export async function serveMetrics(options: ServeOptions, signal: AbortSignal): Promise<void> {
  const { flags, client, credentials, registry, clock, log } = options;
  const informers = new Informers(client, signal, { clock });
  const nodeInformer = informers.informer(nodes);
  const podInformer = informers.informer(pods, {
    fieldSelector: "status.phase=Running",
    ...(options.sharesObjects ? {} : { metadataOnly: true, transform: onlyNeeded }),
  });
  using kubelets = new KubeletClient(flags, credentials, clock);
  await using tracing = await openTracing(options);
  const metrics = scrapeMetrics(registry, flags["metric-resolution"]);
  const selector = parseSelector(flags["node-selector"]);
  const scraper = new Scraper({
    nodes: () => nodeInformer.store.list(),
    selector,
    place: flags,
    resolutionMs: flags["metric-resolution"],
    timeoutMs: flags["kubelet-request-timeout"],
    read: (url, stop) => kubelets.read(url, stop),
    metrics,
    clock,
    log,
    tracer: tracing?.tracer,
  });
  const freshness = freshnessMetric(registry);
  const measurements = () => ({
    history: scraper.history,
    nodes: chosenNodes(nodeInformer.store, selector),
    pods: podInformer.store,
  });
  const api = metricsApi({ measurements, freshness, clock });
  await using server = await listening(options, signal, () =>
    serveComponent({
      name: "metrics-server",
      flagTexts: options.flagTexts,
      client,
      flags,
      metrics: registry,
      healthz: [timelyCheck(scraper)],
      readyz: [
        storageCheck(scraper),
        syncCheck(() => nodeInformer.hasSynced && podInformer.hasSynced),
      ],
      api: tracing ? tracedApi(api, tracing.tracer) : api,
      clock,
    }),
  );
  await informers.synced();
  log.info("serving the metrics API", { port: server.port });
  using _nodes = nodeInformer.subscribe({
    added: () => scraper.hurry(),
    deleted: ({ metadata: { name: node = "" } }) => forgetNode(metrics, node),
  });
  const publisher = await openPublisher(options, server.port, scraper);
  await Promise.all([
    publisher?.run(signal),
    scraper.run(
      onReadiness(scraper, () => publisher?.hurry()),
      signal,
    ),
  ]);
}

/** Undefined if no collector is configured: then nothing of it is loaded. */
async function openTracing({ flags, clock, log }: ServeOptions) {
  const tracing = tracingOfFlags(flags);
  if (!tracing) return undefined;
  const { openTracer } = await import("#/component/open-tracer.ts");
  return openTracer(tracing, { service: "metrics-server", scope: "k8ts.metrics", clock, log });
}

const chosenNodes = (store: ObjectStore<Node>, selector: Selector): Measurements["nodes"] => ({
  get: (_namespace, name) => store.get(undefined, name),
  list: () => store.list().filter(({ metadata }) => selector.matches(metadata.labels)),
  listNamespace: () => [],
});

/** Retry interval (ms) of an address in use. */
const retryMs = 5_000;

/** Opens a server as soon as its address is free: others of its process must not end with it. */
async function listening<T>(
  { clock, log }: ServeOptions,
  signal: AbortSignal,
  open: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code !== "EADDRINUSE" && code !== "EADDRNOTAVAIL") throw error;
      log.error(error, "failed to listen, trying again");
      await clock.sleep(retryMs, signal);
    }
  }
}

/** Calls back when the readiness has changed. */
function onReadiness(scraper: Scraper, changed: () => void): () => void {
  let wasReady = false;
  return () => {
    if (scraper.isReady === wasReady) return;
    wasReady = scraper.isReady;
    changed();
  };
}

async function openPublisher(
  { flags, client, clock, log }: ServeOptions,
  port: number,
  scraper: Scraper,
): Promise<Publisher | undefined> {
  const address = flags["publish-address"];
  if (address === "") return undefined;
  const file = flags["publish-ca-file"];
  const read = () => (file === "" ? "" : readFileSync(file, "utf8"));
  const place = () => ({ address, port, isReady: scraper.isReady, authority: read() });
  return new Publisher({ client, clock, log, place });
}

function forgetNode({ duration, lastRequest }: ScrapeMetrics, node: string): void {
  duration.remove({ node });
  lastRequest.remove({ node });
}

/** Pods without what their usage does not repeat. */
function onlyNeeded<T extends { metadata: object }>(object: T): T {
  const {
    managedFields: _,
    annotations: __,
    ownerReferences: ___,
    ...metadata
  } = object.metadata as Record<string, unknown>;
  return { ...object, metadata };
}

const storageCheck = (scraper: Scraper): HealthCheck => ({
  name: "metric-storage-ready",
  check: () => {
    if (!scraper.isReady) throw new Error("no metrics to serve");
  },
});

const syncCheck = (hasSynced: () => boolean): HealthCheck => ({
  name: "metric-informer-sync",
  check: () => {
    if (!hasSynced()) throw new Error("cache for node or pod informer has not synced");
  },
});

const timelyCheck = (scraper: Scraper): HealthCheck => ({
  name: "metric-collection-timely",
  check: () => {
    if (scraper.isLate) throw new Error("metric collection didn't finish on time");
  },
});
