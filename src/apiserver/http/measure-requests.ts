import type { Registry } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Filter } from "../model/exchange.ts";
import type { Paths } from "./paths.ts";
import { RequestMetrics } from "./request-metrics.ts";

/** Dependencies of the metrics of requests. */
interface MeasuringServices {
  readonly metrics: Registry;
  readonly registry: {
    readonly clock: Clock;
    readonly catalog: {
      find(
        group: string,
        version: string,
        name: string,
      ): { readonly version: { readonly deprecation?: string | undefined } } | undefined;
    };
  };
  readonly paths: Paths;
}

/** The filter that counts and times every request. */
export function measureRequests({ metrics, registry, paths }: MeasuringServices): Filter {
  const requests = new RequestMetrics(metrics, registry.clock, {
    isResource: (group, version, name) => registry.catalog.find(group, version, name) !== undefined,
    isDeprecated: (group, version, name) =>
      registry.catalog.find(group, version, name)?.version.deprecation !== undefined,
    isPath: (path) => paths.find(path) !== undefined && path.split("/").length < 4,
  });
  return requests.filter();
}
