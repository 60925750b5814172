import { table } from "#/std/base/table.ts";
import type { Counter, Gauge, Histogram } from "#/std/metrics/metric-series.ts";
import type { Labelled, Registry } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type Exchange, type Filter, header, type Reply } from "../model/exchange.ts";
import { isLongRunning, isReadOnly, whenSent } from "../model/long-running.ts";
import type { RequestInfo } from "../model/request-info.ts";

/** Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/metrics/metrics.go. */
const durationBounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
  60,
];
const requestLabels = [
  "component",
  "group",
  "resource",
  "scope",
  "subresource",
  "verb",
  "version",
] as const;
type RequestLabels = Readonly<Record<(typeof requestLabels)[number], string>>;

const deprecatedLabels = [
  "group",
  "removed_release",
  "resource",
  "subresource",
  "version",
] as const;

const verbNames: Readonly<Record<string, string>> = table({
  get: "GET",
  list: "LIST",
  watch: "WATCH",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETECOLLECTION",
  proxy: "CONNECT",
});

/** Names that a request may set as label values: only those of served resources. */
interface KnownNames {
  isResource(group: string, version: string, name: string): boolean;
  /** Whether requests for a version of a resource get the warning that it is deprecated. */
  isDeprecated(group: string, version: string, name: string): boolean;
  isPath(path: string): boolean;
}

/** The series of requests with the same labels, looked up once for all of them. */
interface Kind {
  readonly labels: RequestLabels;
  readonly duration: Histogram;
  readonly longRunning: Gauge | undefined;
  readonly totals: Map<string, Counter>;
}

/** Counts and times every request. Costs one lookup by a short string per request. */
export class RequestMetrics {
  readonly #clock: Clock;
  readonly #known: KnownNames;
  readonly #total: Labelled<(typeof requestLabels)[number] | "code" | "dry_run", Counter>;
  readonly #duration: Labelled<(typeof requestLabels)[number] | "dry_run", Histogram>;
  readonly #longRunning: Labelled<(typeof requestLabels)[number], Gauge>;
  readonly #deprecated: Labelled<(typeof deprecatedLabels)[number], Gauge>;
  readonly #reading: Gauge;
  readonly #mutating: Gauge;
  readonly #kinds = new Map<string, Kind>();

  constructor(registry: Registry, clock: Clock, known: KnownNames) {
    this.#clock = clock;
    this.#known = known;
    this.#total = registry.counter({
      name: "apiserver_request_total",
      help: "How many requests were answered, and how.",
      stability: "STABLE",
      labels: [...requestLabels, "code", "dry_run"],
    });
    this.#duration = registry.histogram({
      name: "apiserver_request_duration_seconds",
      help: "How long requests took until their answer was ready.",
      stability: "STABLE",
      labels: [...requestLabels, "dry_run"],
      buckets: durationBounds,
    });
    this.#longRunning = registry.gauge({
      name: "apiserver_longrunning_requests",
      help: "Watches and streams that are open.",
      stability: "STABLE",
      labels: requestLabels,
    });
    this.#deprecated = registry.gauge({
      name: "apiserver_requested_deprecated_apis",
      help: "Deprecated APIs that clients have used since the start.",
      stability: "STABLE",
      labels: deprecatedLabels,
    });
    const inflight = registry.gauge({
      name: "apiserver_current_inflight_requests",
      help: "Requests under way that are neither watches nor streams.",
      stability: "STABLE",
      labels: ["request_kind"],
    });
    this.#reading = inflight.with({ request_kind: "readOnly" });
    this.#mutating = inflight.with({ request_kind: "mutating" });
  }

  /** The filter that measures all later ones. */
  filter(): Filter {
    return async (exchange, next) => {
      const { info } = exchange;
      const kind = this.#kindOf(exchange);
      const gauge = kind.longRunning ?? (isReadOnly(info) ? this.#reading : this.#mutating);
      const startMs = this.#clock.monotonicMs();
      gauge.inc();
      let reply: Reply;
      try {
        reply = await next(exchange);
      } catch (error) {
        gauge.dec();
        throw error;
      }
      this.#count(kind, exchange, reply.status);
      if (!kind.longRunning) {
        kind.duration.observe((this.#clock.monotonicMs() - startMs) / 1000);
        gauge.dec();
        return reply;
      }
      return whenSent(reply, () => gauge.dec());
    };
  }

  #count(kind: Kind, { query }: Exchange, status: number): void {
    const dryRun = query.size > 0 && query.get("dryRun") === "All" ? "All" : "";
    const key = `${status}${dryRun}`;
    let total = kind.totals.get(key);
    if (!total) {
      total = this.#total.with({ ...kind.labels, code: String(status), dry_run: dryRun });
      kind.totals.set(key, total);
    }
    total.inc();
  }

  #kindOf(exchange: Exchange): Kind {
    const { info } = exchange;
    const verb = verbOf(exchange);
    const scope = scopeOf(info);
    const { apiGroup, apiVersion, resource, subresource, path, isResourceRequest } = info;
    const key = isResourceRequest
      ? `${verb} ${scope} ${apiGroup}/${apiVersion}/${resource}/${subresource}`
      : `${verb} ${path}`;
    const found = this.#kinds.get(key);
    if (found) return found;
    const labels = this.#labels(info, verb, scope);
    const kind: Kind = {
      labels,
      duration: this.#duration.with({ ...labels, dry_run: "" }),
      longRunning: isLongRunning(info) ? this.#longRunning.with(labels) : undefined,
      totals: new Map(),
    };
    this.#noteDeprecated(labels);
    // Requests for unknown resources are measured as well, but their names are not kept.
    if (labels.resource !== "" || labels.subresource !== "") this.#kinds.set(key, kind);
    return kind;
  }

  /** No version of a resource that is served has a release in which it will be removed. */
  #noteDeprecated({ group, version, resource, subresource }: RequestLabels): void {
    if (resource === "" || !this.#known.isDeprecated(group, version, resource)) return;
    const labels = { group, version, resource, subresource, removed_release: "" };
    this.#deprecated.with(labels).set(1);
  }

  #labels(info: RequestInfo, verb: string, scope: string): RequestLabels {
    const component = "apiserver";
    const { apiGroup, apiVersion, resource, subresource, path } = info;
    if (info.isResourceRequest && this.#known.isResource(apiGroup, apiVersion, resource)) {
      const group = apiGroup;
      return { component, group, version: apiVersion, resource, subresource, scope, verb };
    }
    const known = !info.isResourceRequest && this.#known.isPath(path);
    const shown = known ? path : "";
    return { component, group: "", version: "", resource: "", subresource: shown, scope: "", verb };
  }
}

function verbOf(exchange: Exchange): string {
  const { verb, isResourceRequest, subresource } = exchange.info;
  if (!isResourceRequest) return exchange.method in knownMethods ? exchange.method : "other";
  if (verb === "patch" && header(exchange, "content-type")?.startsWith("application/apply-patch"))
    return "APPLY";
  if (connects.has(subresource)) return "CONNECT";
  return verbNames[verb] ?? "other";
}

const connects: ReadonlySet<string> = new Set(["attach", "exec", "proxy", "portforward", "log"]);
const knownMethods = { GET: 1, HEAD: 1, POST: 1, PUT: 1, PATCH: 1, DELETE: 1, OPTIONS: 1 };

function scopeOf({ name, namespace, verb, isResourceRequest }: RequestInfo): string {
  if (!isResourceRequest) return "";
  if (name !== "" || verb === "create") return "resource";
  return namespace === "" ? "cluster" : "namespace";
}
