import { realpath } from "node:fs/promises";
import { Client } from "#/client/client.ts";
import { clientMetrics } from "#/client/client-metrics.ts";
import { recorder } from "#/client/events/events.ts";
import { Informers } from "#/client/informers/informers.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { aborted } from "#/std/async/aborted.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { processMetrics } from "#/std/metrics/process-metrics.ts";
import { Mounter } from "#/std/mounts/mounter.ts";
import { splitHostPort } from "#/std/net/host-port.ts";
import { type EndpointHandler, keepServing } from "#/std/net/http-endpoint.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { findFileSystems } from "../pool/file-systems.ts";
import { openBackends } from "../pool/open-backends.ts";
import { Pool } from "../pool/pool.ts";
import { nodeControllers } from "./node-controllers.ts";
import { CapacityPublisher } from "./publish-capacity.ts";
import { releaseVolumes, thawVolumes } from "./release-volumes.ts";
import { serveDriver } from "./serve-driver.ts";
import { storageMetrics } from "./storage-metrics.ts";

const log = logger("local-storage");

interface NodeSettings {
  readonly nodeName: string;
  readonly root: string;
  readonly kubeletDir: string;
  readonly backend: string;
  readonly overcommit: number;
  /** Where metrics are served: HOST:PORT; empty for nowhere. */
  readonly statusAddress: string;
  /** Opens the access to the API; undefined if sidecars of others use it. */
  readonly connect: (() => Promise<Transport>) | undefined;
}

/** Runs the driver of a node, and what the API wants of its volumes, until the signal aborts. */
export async function runNode(settings: NodeSettings, signal: AbortSignal): Promise<void> {
  const { nodeName, kubeletDir, overcommit, connect } = settings;
  const mounter = new Mounter();
  const backends = await openBackends({
    root: settings.root,
    run: runProgram,
    mounter,
    wanted: settings.backend,
  });
  const root = await realpath(settings.root);
  await thawVolumes(root, { run: runProgram, mounter });
  const clock = systemClock;
  const fsTypes = await findFileSystems(runProgram);
  const options = { root, clock, run: runProgram, backends, fsTypes, overcommit };
  const pool = await Pool.open(options);
  const registry = new Registry();
  using _process = processMetrics(registry);
  const timeCalls = storageMetrics(registry, pool, clock);
  await using driver = await serveDriver({
    pool,
    nodeName,
    mounter,
    clock,
    kubeletDir,
    timeCalls,
  });
  await using _status = serveStatus(settings.statusAddress, registry, signal);
  if (!connect) return await aborted(signal);
  await using transport = await connect();
  const metrics = clientMetrics(registry);
  const client = new Client(transport, { userAgent: userAgent("local-storage"), metrics });
  const informers = new Informers(client, signal, { clock, strict: true });
  const capacity = new CapacityPublisher({
    client,
    informers,
    clock,
    nodeName,
    availableBytes: () => pool.availableBytes(),
  });
  const { changed } = capacity;
  const controllers = nodeControllers({ nodeName, driver: driver.controller, changed });
  const recorderFor = (component: string) => recorder(client, { component, signal });
  const shared = { client, options: undefined, informers, clock, recorderFor };
  await Promise.all([runControllers(controllers, shared, signal), capacity.run(signal)]);
}

/** Serves health and metrics until disposed, also when the port is free only later. */
function serveStatus(
  statusAddress: string,
  registry: Registry,
  signal: AbortSignal,
): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  const address = splitHostPort(statusAddress);
  if (!address) return stack;
  const handler: EndpointHandler = (path) => {
    if (path === "/healthz" || path === "/readyz") return { body: "ok" };
    return path === "/metrics" ? { body: registry.expose() } : undefined;
  };
  const onFailure = (error: unknown): void => log.error(error, "failed to serve status");
  stack.use(keepServing(address, handler, { clock: systemClock, signal, onFailure }));
  return stack;
}

/** Unmounts and detaches the volumes of this node; they keep their content. */
export async function cleanUpNode(root: string): Promise<void> {
  const found = await realpath(root).catch(() => undefined);
  if (found) await releaseVolumes(found, { run: runProgram, mounter: new Mounter() });
}
