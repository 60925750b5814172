/**
 * Upstream: pkg/controller/podautoscaler/metrics/client.go, staging/src/k8s.io/metrics/pkg/client.
 */
import type { CrossVersionObjectReference } from "#/api/autoscaling/v2.ts";
import { type PodMetrics, pods as podMetrics } from "#/api/metrics/v1beta1.ts";
import type { Client } from "#/client/client.ts";
import type { CachedCatalog } from "#/client/discovery/cached-catalog.ts";
import { parseApiVersion } from "#/machinery/meta/api-version.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { parseDuration } from "#/std/go/duration.ts";

/** The metric of a Pod, in thousandths. */
export interface PodMetric {
  readonly value: number;
  readonly timestampMs: number;
  readonly windowMs: number;
}

export type PodMetricsByName = Map<string, PodMetric>;

interface MetricValue {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: string;
  readonly windowSeconds?: number;
  readonly window?: number;
  readonly value: string;
}

const defaultWindowMs = 60_000;
const custom = "/apis/custom.metrics.k8s.io";
const external = "/apis/external.metrics.k8s.io/v1beta1";

/** Reads metrics from the metrics APIs. */
export class MetricsClient {
  readonly #client: Client;
  readonly #catalog: CachedCatalog;

  constructor(client: Client, catalog: CachedCatalog) {
    this.#client = client;
    this.#catalog = catalog;
  }

  /** The usage of a resource by Pods, or by one container of each. */
  async resource(
    resource: string,
    namespace: string,
    labelSelector: string,
    container: string,
  ): Promise<PodMetricsByName> {
    const { items } = await this.#client
      .list(podMetrics, { namespace, labelSelector })
      .catch(failing("unable to fetch metrics from resource metrics API"));
    if (items.length === 0) throw new Error("no metrics returned from resource metrics API");
    const found: PodMetricsByName = new Map();
    for (const item of items) {
      const value = usageOf(item, resource, container);
      if (value === undefined) continue;
      const timestampMs = item.timestamp ? parseTime(item.timestamp) : 0;
      const windowMs = item.window ? parseDuration(item.window) : 0;
      found.set(item.metadata.name ?? "", { value, timestampMs, windowMs });
    }
    return found;
  }

  /** A metric of pods. */
  async pods(
    metric: string,
    namespace: string,
    labelSelector: string,
    metricLabelSelector: string,
  ): Promise<PodMetricsByName> {
    const path = `namespaces/${namespace}/pods/*/${metric}`;
    const items = await this.#custom(path, { labelSelector, metricLabelSelector });
    if (items.length === 0) throw new Error("no metrics returned from custom metrics API");
    return new Map(
      items.map(({ describedObject, value, timestamp, windowSeconds, window }) => {
        const seconds = windowSeconds ?? window;
        const metricOf = {
          value: parseQuantity(value).milliValue(),
          timestampMs: timestamp ? parseTime(timestamp) : 0,
          windowMs: seconds === undefined ? defaultWindowMs : seconds * 1000,
        };
        return [describedObject?.name ?? "", metricOf];
      }),
    );
  }

  /** A metric of an object, in thousandths. */
  async object(
    metric: string,
    namespace: string,
    { apiVersion = "", kind, name }: CrossVersionObjectReference,
    metricLabelSelector: string,
  ): Promise<number> {
    const { group } = parseApiVersion(apiVersion);
    const isNamespace = kind === "Namespace" && group === "";
    const path = isNamespace
      ? `namespaces/${namespace}/metrics/${metric}`
      : `namespaces/${namespace}/${await this.#resourceOf(apiVersion, kind)}/${name}/${metric}`;
    const [value] = await this.#custom(path, { metricLabelSelector });
    if (!value) {
      throw new Error(
        "unable to fetch metrics from custom metrics API: the custom metrics API server returned 0 results when asked for exactly one",
      );
    }
    return parseQuantity(value.value).milliValue();
  }

  /** The sum of an external metric, in thousandths. */
  async external(metric: string, namespace: string, labelSelector: string): Promise<number> {
    const path = `${external}/namespaces/${namespace}/${metric}`;
    const { items = [] } = await this.#client
      .request<{ items?: readonly MetricValue[] }>({
        method: "GET",
        path,
        query: { labelSelector },
      })
      .catch(failing("unable to fetch metrics from external metrics API"));
    if (items.length === 0) throw new Error("no metrics returned from external metrics API");
    const sum = items.reduce((total, { value }) => total + parseQuantity(value).milliValue(), 0);
    return Math.min(sum, Number.MAX_SAFE_INTEGER);
  }

  async #custom(
    path: string,
    selectors: Readonly<Record<string, string>>,
  ): Promise<readonly MetricValue[]> {
    const query = Object.fromEntries(Object.entries(selectors).filter(([, text]) => text !== ""));
    const get = (version: string) =>
      this.#client.request<{ items?: readonly MetricValue[] }>({
        method: "GET",
        path: `${custom}/${version}/${path}`,
        query,
      });
    const { items = [] } = await get("v1beta2")
      .catch(() => get("v1beta1"))
      .catch(failing("unable to fetch metrics from custom metrics API"));
    return items;
  }

  /** "deployments.apps". */
  async #resourceOf(apiVersion: string, kind: string): Promise<string> {
    const resource = await this.#catalog.findKind({ apiVersion, kind });
    if (!resource) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`);
    const { name, group } = resource;
    return group === "" ? name : `${name}.${group}`;
  }
}

const failing =
  (what: string) =>
  (error: Error): never => {
    throw new Error(`${what}: ${error.message}`, { cause: error });
  };

function usageOf(
  { containers }: PodMetrics,
  resource: string,
  container: string,
): number | undefined {
  const counted = containers.filter(({ name }) => container === "" || container === name);
  const usages = counted.map(({ usage }) => usage[resource]);
  if (usages.length === 0) return undefined;
  let sum = 0;
  for (const usage of usages) {
    if (usage === undefined) return undefined;
    sum += parseQuantity(usage).milliValue();
  }
  return sum;
}
