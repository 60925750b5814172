import { createServer, type Server as HttpServer } from "node:http";
import type { Server, Socket } from "node:net";
import { tracingOfFlags } from "#/component/tracing-configuration.ts";
import { aborted } from "#/std/async/aborted.ts";
import type { Logger } from "#/std/log/log.ts";
import { Registry as MetricsRegistry } from "#/std/metrics/metrics.ts";
import { splitHostPort } from "#/std/net/host-port.ts";
import { keepServing } from "#/std/net/http-endpoint.ts";
import { listenAt } from "#/std/net/listen-at.ts";
import type { Clock } from "#/std/time/clock.ts";
import { ContentStore } from "./containerd/content-store.ts";
import type { RegistryFlags } from "./flags.ts";
import { AllowedUsers } from "./serve/allowed-users.ts";
import { requestHandler } from "./serve/handle.ts";
import { registryMetrics } from "./serve/metrics.ts";
import { servePeers } from "./serve-peers.ts";

/** Interval (ms) of tries to listen at a port that another program has. */
const retryMs = 10_000;
/** Limit of connections (count). */
const maxConnections = 200;
const hosts = ["127.0.0.1", "::1"];
/** The network namespaces of connections, by the file; "" for that of this process. */
const namespaces = new WeakMap<Socket, string>();

interface ServeOptions {
  readonly flags: RegistryFlags;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Serves a registry on localhost until the signal aborts. */
export async function serveRegistry(options: ServeOptions, signal: AbortSignal): Promise<void> {
  const { flags, clock, log } = options;
  await using stack = new AsyncDisposableStack();
  const { "containerd-address": address, "containerd-namespace": namespace } = flags;
  const store = stack.use(new ContentStore({ address, namespace, clock }));
  const metrics = new MetricsRegistry();
  const handling = {
    registry: { store, host: `localhost:${flags.port}` },
    metrics: registryMetrics(metrics),
    ...{ clock, log, tracer: stack.use(await openTracing(options))?.tracer },
  };
  const users = new AllowedUsers(flags["users-of"]);
  const checkUser = (socket: Socket) => users.check(socket, namespaces.get(socket) ?? "");
  const handle = requestHandler({ ...handling, isPeer: false, checkUser });
  openStatus(stack, options, metrics, signal);
  const server = createServer((request, response) => void handle(request, response));
  server.maxConnections = maxConnections;
  // An upload takes as long as it takes.
  server.requestTimeout = 0;
  stack.defer(() => server.closeAllConnections());
  const failed = new AbortController();
  stack.defer(() => failed.abort());
  const serving = AbortSignal.any([signal, failed.signal]);
  const places = flags.netns === "" ? [""] : ["", flags.netns];
  const peerHandle = requestHandler({ ...handling, isPeer: true });
  await Promise.all([
    ...places.map((netns) => listen(stack, server, netns, options, serving)),
    servePeers(options, (request, response) => void peerHandle(request, response), serving),
  ]);
  await aborted(signal);
}

/** Undefined if no collector is configured: then nothing of it is loaded. */
async function openTracing({ flags, clock, log }: ServeOptions) {
  const tracing = tracingOfFlags(flags);
  if (!tracing) return undefined;
  const { openTracer } = await import("#/component/open-tracer.ts");
  return openTracer(tracing, { service: "k8ts-registry", scope: "k8ts.registry", clock, log });
}

/** Listens at both addresses of localhost, as soon as the port is free. */
async function listen(
  stack: AsyncDisposableStack,
  server: HttpServer,
  netns: string,
  { flags, clock, log }: ServeOptions,
  signal: AbortSignal,
): Promise<void> {
  const { port } = flags;
  for (let isLogged = false; ; isLogged = true) {
    const listeners: Server[] = [];
    for (const host of hosts) {
      const listener = await listenAt(port, host, netns);
      // The registry may have failed elsewhere meanwhile: an open port without it would never answer.
      if (stack.disposed) return void listener?.close();
      if (!listener && host === hosts[0]) break;
      if (!listener) continue;
      listeners.push(listener);
      stack.defer(() => void listener.close());
      listener.on("connection", (socket) => {
        namespaces.set(socket, netns);
        server.emit("connection", socket);
      });
    }
    if (listeners.length > 0) {
      log.info("serving images", { port, netns });
      return;
    }
    if (!isLogged) log.warning("the port is not free, trying again", { port, netns });
    await clock.sleep(retryMs, signal);
  }
}

function openStatus(
  stack: AsyncDisposableStack,
  { flags, clock, log }: ServeOptions,
  metrics: MetricsRegistry,
  signal: AbortSignal,
): void {
  const address = splitHostPort(flags["status-bind-address"]);
  if (!address) return;
  const onFailure = (error: unknown): void => log.error(error, "failed to serve status");
  const handler = (path: string) => {
    if (path === "/healthz") return { body: "ok" };
    return path === "/metrics" ? { body: metrics.expose() } : undefined;
  };
  stack.use(keepServing(address, handler, { clock, signal, onFailure }));
}
