import { logger } from "#/std/log/log.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { processMetrics } from "#/std/metrics/process-metrics.ts";
import { audit, auditFailedAuthentication } from "./audit/audit-filter.ts";
import { openAudit } from "./audit/open-audit.ts";
import {
  type ImpersonationObserver,
  impersonationMetrics,
} from "./auth/base/authorization-metrics.ts";
import {
  type AuthenticationObserver,
  authenticationMetrics,
  filterTimer,
} from "./auth/base/gate-metrics.ts";
import { addFairnessDumps } from "./fairness/dump-paths.ts";
import { Fairness } from "./fairness/fairness.ts";
import { fairness } from "./fairness/fairness-filter.ts";
import { FairnessMetrics } from "./fairness/fairness-metrics.ts";
import { followFlowControl } from "./fairness/follow-flow-control.ts";
import { limitInFlight } from "./fairness/limit-in-flight.ts";
import type { ApiServerFlags } from "./flags/index.ts";
import { addMetricsPath, sizeMetric, storeMetrics } from "./health/serve-metrics.ts";
import type { Paths } from "./http/paths.ts";
import { RequestMetrics } from "./http/request-metrics.ts";
import type { Filter } from "./model/exchange.ts";
import type { OpeningServices } from "./model/opening-services.ts";
import type { Registry } from "./registry/registry.ts";

/** The filters around requests that count, queue and record them. */
export interface Gates extends AsyncDisposable {
  readonly filters: {
    readonly measure: Filter;
    readonly observeAuthentication: AuthenticationObserver;
    readonly observeImpersonation: ImpersonationObserver;
    readonly timeFilter: (name: string, filter: Filter) => Filter;
    readonly audit?: Filter;
    readonly auditFailedAuthentication?: Filter;
    readonly fairness: Filter;
  };
  /** Begins to follow the configuration in the store. */
  start(): void;
}

/** Opens the gates as flags say, and /metrics, where they tell what they see. */
export async function openGates(
  flags: ApiServerFlags,
  registry: Registry,
  paths: Paths,
  { metrics = new Metrics(), egress = {} }: OpeningServices,
): Promise<Gates> {
  const stack = new AsyncDisposableStack();
  stack.use(processMetrics(metrics, registry.clock));
  storeMetrics(metrics, registry, flags["etcd-count-metric-poll-period"] > 0);
  stack.use(sizeMetric(metrics, registry, flags["etcd-db-metric-poll-interval"]));
  addMetricsPath(paths, "/metrics", { metrics, resettable: flags.profiling });
  const requests = new RequestMetrics(metrics, registry.clock, {
    isResource: (group, version, name) => registry.catalog.find(group, version, name) !== undefined,
    isPath: (path) => paths.find(path) !== undefined && path.split("/").length < 4,
  });
  const gate = flags["enable-priority-and-fairness"]
    ? openFairness(flags, registry, metrics)
    : undefined;
  if (gate) addFairnessDumps(paths, gate.fairness);
  const plain = limitInFlight({
    reading: flags["max-requests-inflight"],
    writing: flags["max-mutating-requests-inflight"],
  });
  const audited = stack.use((await openAudit(flags, registry.clock, { metrics, egress })) ?? null);
  const options = audited && { ...audited, clock: registry.clock };
  return {
    filters: {
      measure: requests.filter(),
      observeAuthentication: authenticationMetrics(metrics, registry.clock),
      observeImpersonation: impersonationMetrics(metrics, registry.clock),
      timeFilter: filterTimer(metrics, registry.clock),
      ...(options
        ? { audit: audit(options), auditFailedAuthentication: auditFailedAuthentication(options) }
        : {}),
      fairness: gate?.filter ?? plain,
    },
    start() {
      if (gate) stack.use(followFlowControl(gate.fairness, registry, logger("flowcontrol")));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function openFairness(flags: ApiServerFlags, registry: Registry, metrics: Metrics) {
  const gate = new Fairness({
    clock: registry.clock,
    totalSeats: flags["max-requests-inflight"] + flags["max-mutating-requests-inflight"],
    // Upstream lets requests wait for a quarter of their time.
    waitMs: flags["request-timeout"] / 4,
  });
  const filter = fairness({
    fairness: gate,
    metrics: new FairnessMetrics(metrics, gate, registry.clock),
    countOf: (group, name) => registry.catalog.findResource(group, name)?.store.cache.size ?? 0,
  });
  return { fairness: gate, filter };
}
