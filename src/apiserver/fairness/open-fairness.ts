import { logger } from "#/std/log/log.ts";
import type { Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import type { Paths } from "../http/paths.ts";
import type { Filter } from "../model/exchange.ts";
import type { Registry } from "../registry/registry.ts";
import { addFairnessDumps } from "./dump-paths.ts";
import { Fairness } from "./fairness.ts";
import { fairness } from "./fairness-filter.ts";
import { FairnessMetrics } from "./fairness-metrics.ts";
import { followFlowControl } from "./follow-flow-control.ts";
import { limitInFlight } from "./limit-in-flight.ts";

interface FairnessServices {
  readonly flags: ApiServerFlags;
  readonly registry: Registry;
  readonly metrics: Metrics;
  readonly paths: Paths;
  readonly closing: AsyncDisposableStack;
  onStart(start: () => void): void;
}

/** Priority and fairness as flow schemas and levels configure it, or a plain limit if flags turn it off. */
export function openFairness(services: FairnessServices): Filter {
  const { flags, registry, metrics, paths, closing, onStart } = services;
  if (!flags["enable-priority-and-fairness"]) {
    return limitInFlight({
      reading: flags["max-requests-inflight"],
      writing: flags["max-mutating-requests-inflight"],
    });
  }
  const gate = new Fairness({
    clock: registry.clock,
    totalSeats: flags["max-requests-inflight"] + flags["max-mutating-requests-inflight"],
    // Upstream lets requests wait for a quarter of their timeout.
    waitMs: flags["request-timeout"] / 4,
  });
  addFairnessDumps(paths, gate);
  onStart(() => void closing.use(followFlowControl(gate, registry, logger("flowcontrol"))));
  return fairness({
    fairness: gate,
    metrics: new FairnessMetrics(metrics, gate, registry.clock),
    countOf(group, name) {
      const resource = registry.catalog.findResource(group, name);
      // A resource with verbs of its own has no objects in the store.
      return resource && !resource.declaration.verbs ? resource.store.cache.size : 0;
    },
  });
}
