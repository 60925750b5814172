import { noSuchResource } from "#/machinery/meta/status-error.ts";
import { whenSettled } from "#/std/base/maybe-promise.ts";
import type { Aggregator } from "./aggregator/aggregator.ts";
import { Paths } from "./http/paths.ts";
import type { Authorizer } from "./model/authorizer.ts";
import {
  chain,
  type Exchange,
  type Filter,
  type Handler,
  type Reply,
  textReply,
} from "./model/exchange.ts";
import type { TokenServices } from "./model/token-services.ts";
import type { Connections } from "./proxy/connections.ts";
import type { Admission } from "./registry/admission.ts";
import type { Registry } from "./registry/registry.ts";
import type { VerbServices } from "./registry/resource-request.ts";
import type { VersionedResource } from "./registry/served-resource.ts";
import { leaderTerm } from "./resources/coordination/leader-term.ts";
import { checkRoute } from "./verbs/check-route.ts";
import { findVerb } from "./verbs/dispatch.ts";
import { chooseWriter } from "./verbs/writers/choose-writer.ts";
import { encodeResult } from "./verbs/writers/encode-result.ts";
import { jsonWriter } from "./verbs/writers/object-writer.ts";
import { prepareResult } from "./verbs/writers/prepared-object.ts";

export interface ApiServerOptions {
  readonly registry: Registry;
  /** The filters of a request, outermost first (`request-filters.ts`). */
  readonly filters: readonly Filter[];
  /** Around verbs, but not around connections. */
  readonly traceVerb?: Filter | undefined;
  readonly authorizer: Authorizer;
  /** For TokenReviews and TokenRequests. */
  readonly tokens?: TokenServices;
  /** Forwards requests for other servers' APIs. */
  readonly aggregator?: Pick<Aggregator, "find" | "serve">;
  /** Connections into the cluster, for logs, streams and proxies. */
  readonly connections?: Connections;
  readonly admission: Admission;
  readonly enabled: (feature: string) => boolean;
  /** Containers may be privileged (--allow-privileged). */
  readonly allowPrivileged?: boolean;
  /** Minimum duration of watches without timeoutSeconds (--min-request-timeout). */
  readonly leastWatchMs?: number;
  /** Concurrent deletions when a collection is deleted (--delete-collection-workers). */
  readonly deleteWorkers?: number;
  /** Handlers of paths besides resources. */
  readonly paths?: Paths;
}

/** The API server without a network: the filters, and the verbs behind them. */
export function apiHandler(options: ApiServerOptions): Handler {
  const { registry, admission, authorizer, enabled, paths = new Paths() } = options;
  const { allowPrivileged = false } = options;
  const services: VerbServices = {
    clock: registry.clock,
    admission,
    authorizer,
    enabled,
    allowPrivileged,
    ...(options.leastWatchMs === undefined ? {} : { leastWatchMs: options.leastWatchMs }),
    ...(options.deleteWorkers === undefined ? {} : { deleteWorkers: options.deleteWorkers }),
    ...(options.tokens ? { tokens: options.tokens } : {}),
    ...(options.connections ? { connections: options.connections } : {}),
    openTerm: (header) => leaderTerm(header, registry),
    store: (resource) => registry.store(resource),
    resource: (handle) => registry.resource(handle),
  };
  const { aggregator, traceVerb } = options;
  const serve = (exchange: Exchange) => serveResource(registry, services, exchange);
  const traced = traceVerb && chain([traceVerb], serve);
  return chain(options.filters, (exchange) => {
    const remote = aggregator?.find(exchange.path);
    if (aggregator && remote) return aggregator.serve(exchange, remote);
    if (!exchange.info.isResourceRequest) return servePath(paths, exchange);
    return traced && !isConnection(registry, exchange) ? traced(exchange) : serve(exchange);
  });
}

function isConnection({ catalog }: Registry, { info }: Exchange): boolean {
  const target = catalog.find(info.apiGroup, info.apiVersion, info.resource);
  return target !== undefined && connects(target, info.subresource);
}

async function serveResource(
  registry: Registry,
  services: VerbServices,
  exchange: Exchange,
): Promise<Reply> {
  const { apiGroup, apiVersion, resource, subresource } = exchange.info;
  const target = registry.catalog.find(apiGroup, apiVersion, resource);
  if (!target) {
    const { catalog } = registry;
    if (catalog.hasVersion(apiGroup, apiVersion) || catalog.isRouted(apiGroup)) {
      throw noSuchResource();
    }
    return textReply(404, "404 page not found\n");
  }
  if (!checkRoute(exchange.info, target)) {
    if (target.resource.declaration.isRouted) throw noSuchResource();
    return textReply(404, "404 page not found\n");
  }
  const verb = findVerb({ exchange, target });
  if (!verb) throw noSuchResource();
  const writer = connects(target, subresource)
    ? jsonWriter(target)
    : chooseWriter(exchange, target, services.clock);
  const outcome = await verb({ exchange, target, services });
  if (exchange.pace?.isLarge) await exchange.pace.rest("reply");
  return whenSettled(prepareResult(outcome, target), (prepared) =>
    encodeResult(prepared, writer, target, exchange.takesObjects),
  );
}

/** Connections negotiate their protocol themselves: the Accept header is not checked. */
function connects({ resource }: VersionedResource, subresource: string): boolean {
  return resource.declaration.actions?.[subresource]?.["connect"] !== undefined;
}

function servePath(paths: Paths, exchange: Exchange): Promise<Reply> {
  const handler = paths.find(exchange.path);
  return handler ? handler(exchange) : Promise.resolve(textReply(404, "404 page not found\n"));
}
