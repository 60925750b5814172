import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { beginRequestSpan, endRequestSpan } from "#/component/request-span.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import type { Logger } from "#/std/log/log.ts";
import { requestUrl } from "#/std/net/request-url.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Tracer } from "#/std/trace/tracer.ts";
import { RegistryError } from "../model/registry-error.ts";
import { serveBlob } from "./blobs.ts";
import { answer, answerJson, type Exchange } from "./exchange.ts";
import { listReferrers, listRepositories, listTags } from "./lists.ts";
import { serveManifest } from "./manifests.ts";
import type { RegistryMetrics } from "./metrics.ts";
import type { Registry } from "./registry.ts";
import { type Route, routeOf } from "./route.ts";
import { beginUpload, serveUpload } from "./uploads.ts";

/** The methods of each route. */
const methods: Readonly<Record<Route["kind"], readonly string[]>> = {
  root: ["GET", "HEAD"],
  catalog: ["GET"],
  tags: ["GET"],
  referrers: ["GET"],
  uploads: ["POST"],
  upload: ["GET", "PATCH", "PUT", "DELETE"],
  blob: ["GET", "HEAD", "DELETE"],
  manifest: ["GET", "HEAD", "PUT", "DELETE"],
};

interface HandleOptions {
  readonly registry: Registry;
  readonly metrics: RegistryMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  /** Records a span for each request; default none. */
  readonly tracer?: Tracer | undefined;
  /** Whether clients are other nodes, which only read. */
  readonly isPeer: boolean;
  /** Rejects for a client of this machine that may not use the registry. */
  readonly checkUser?: (socket: Socket) => Promise<void>;
}

/** Answers requests of the distribution API. */
export function requestHandler(options: HandleOptions) {
  const { metrics, clock, isPeer } = options;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const began = clock.monotonicMs();
    const span = beginRequestSpan(options.tracer, request);
    const method = request.method ?? "";
    let handler = "none";
    const exchange = { request, response, url: requestUrl(request) };
    try {
      await options.checkUser?.(request.socket);
      if (!isPeer) checkOrigin(request);
      else if (method !== "GET" && method !== "HEAD") {
        throw new RegistryError("DENIED", "other nodes only read images");
      }
      const route = routeOf(exchange.url.pathname);
      handler = route?.kind ?? "none";
      if (!route) throw new RegistryError("NAME_UNKNOWN", `there is no ${exchange.url.pathname}`);
      if (!methods[route.kind].includes(method)) {
        throw new RegistryError("UNSUPPORTED", `${method} is not possible here`);
      }
      await serve(options.registry, exchange, route);
    } catch (error) {
      fail(options, exchange, error);
    }
    endRequestSpan(span, response.statusCode);
    metrics.requests.with({ code: String(response.statusCode), handler, method }).inc();
    metrics.duration.with({ handler, method }).observe((clock.monotonicMs() - began) / 1000);
  };
}

/** Pages in a browser of this machine are no clients, whatever name leads them here. */
function checkOrigin({ headers }: IncomingMessage): void {
  const host = (headers.host ?? "").replace(/:\d+$/, "");
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(host);
  if (headers.origin === undefined && isLocal) return;
  throw new RegistryError("DENIED", "this registry is for programs of this machine, at localhost");
}

async function serve(registry: Registry, exchange: Exchange, route: Route): Promise<void> {
  switch (route.kind) {
    case "root":
      return answerJson(exchange, {});
    case "catalog":
      return await listRepositories(registry, exchange);
    case "tags":
      return await listTags(registry, exchange, route);
    case "referrers":
      return await listReferrers(registry, exchange, route);
    case "uploads":
      return await beginUpload(registry, exchange, route);
    case "upload":
      return await serveUpload(registry, exchange, route);
    case "blob":
      return await serveBlob(registry, exchange, route);
    case "manifest":
      return await serveManifest(registry, exchange, route);
    default:
      route satisfies never;
  }
}

function fail({ log }: HandleOptions, exchange: Exchange, error: unknown): void {
  const { request, response } = exchange;
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const known = errorOf(error);
  if (known.status >= 500)
    log.error(error, "failed to answer", { method: request.method, path: exchange.url.pathname });
  // A body that was not read would be taken for the next request.
  const close = request.complete ? {} : { connection: "close" };
  answer(exchange, known.status, { "content-type": "application/json", ...close }, known.body);
}

/** The runtime's errors reach the client with their reason: a full disk, or a runtime that does not run. */
function errorOf(error: unknown): RegistryError {
  if (error instanceof RegistryError) return error;
  const reason = error instanceof GrpcError ? error.details : "see the logs of the registry";
  return new RegistryError("UNAVAILABLE", `the container runtime has failed: ${reason}`);
}
