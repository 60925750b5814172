import type { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import { openAdmission } from "./admission/open-admission.ts";
import type { openAggregator } from "./aggregator/open-aggregator.ts";
import { apiHandler } from "./api-server.ts";
import { measuredAuthorizer } from "./auth/base/gate-metrics.ts";
import { openAuthentication } from "./auth/open-authentication.ts";
import { openAuthorizer } from "./auth/open-authorizer.ts";
import type { openEgress } from "./egress/egress.ts";
import type { ApiServerFlags } from "./flags/index.ts";
import type { Paths } from "./http/paths.ts";
import type { Handler } from "./model/exchange.ts";
import type { RequestMarks } from "./model/request-marks.ts";
import type { OpenedStore } from "./open-store.ts";
import { openConnections } from "./proxy/connections.ts";
import type { Registry } from "./registry/registry.ts";
import { openFilters } from "./request-filters.ts";

/** The parts that most others need. */
export interface Server {
  readonly flags: ApiServerFlags;
  readonly enabled: (feature: string) => boolean;
  readonly metrics: Metrics;
  readonly egress: ReturnType<typeof openEgress>;
  readonly store: OpenedStore;
  readonly registry: Registry;
  /** What follows a file, until the server has ended. */
  readonly files: DisposableStack;
  readonly lifecycle: { readonly isStarted: boolean; readonly isStopping: boolean };
}

/** Requests to the server: their gates, and the handler that applies them. */
interface Requests extends AsyncDisposable {
  readonly handler: Handler;
  /** Starts the gates that read objects which the server itself writes first. */
  start(): void;
}

export async function openRequests(
  { flags, enabled, metrics, egress, store: { tracing }, registry, files, lifecycle }: Server,
  {
    paths,
    aggregator,
    address,
    marks,
  }: {
    readonly paths: Paths;
    readonly aggregator: ReturnType<typeof openAggregator>;
    readonly address: string;
    readonly marks?: RequestMarks | undefined;
  },
): Promise<Requests> {
  await using opening = new AsyncDisposableStack();
  const services = { metrics, egress, files };
  const authorizer = await openAuthorizer(flags, registry, services);
  const measured = measuredAuthorizer(authorizer, metrics, systemClock);
  const authentication = await openAuthentication(flags, registry, services);
  authentication.addPaths(paths, address);
  const connections = opening.use(
    openConnections(flags, systemClock, { dial: egress.cluster, files }),
  );
  const filters = opening.use(
    await openFilters({
      flags,
      registry,
      paths,
      metrics,
      egress,
      enabled,
      authenticators: authentication.authenticators,
      authorizer: measured,
      trace: tracing?.filters,
      marks,
      isStopping: () => lifecycle.isStopping,
    }),
  );
  const handler = apiHandler({
    filters: filters.list,
    traceVerb: tracing?.filters.verb,
    registry,
    connections,
    aggregator,
    paths,
    tokens: authentication.tokens,
    authorizer: measured,
    admission: await openAdmission(flags, registry, authorizer, services),
    enabled,
    allowPrivileged: flags["allow-privileged"],
    leastWatchMs: flags["min-request-timeout"] * 1000,
    deleteWorkers: flags["delete-collection-workers"],
  });
  authentication.start(handler);
  const stack = opening.move();
  return {
    handler,
    start: () => filters.start(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
