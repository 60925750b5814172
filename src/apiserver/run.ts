import { AsyncResource } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { Client } from "#/client/client.ts";
import type { Connect } from "#/client/connect.ts";
import { componentCommand, reportedVersion } from "#/component/component-command.ts";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { aborted } from "#/std/async/aborted.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { forgetWhenIdle } from "#/std/memory/forget-when-idle.ts";
import type { HealthCheck } from "#/std/metrics/health.ts";
import { metricRules } from "#/std/metrics/metric-rules.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";
import { openAdmission } from "./admission/open-admission.ts";
import { openAggregator } from "./aggregator/open-aggregator.ts";
import { publishAuthentication } from "./aggregator/publish-authentication.ts";
import { apiHandler } from "./api-server.ts";
import { measuredAuthorizer } from "./auth/base/gate-metrics.ts";
import { loopbackUser } from "./auth/base/loopback.ts";
import { openAuthentication } from "./auth/open-authentication.ts";
import { openAuthorizer } from "./auth/open-authorizer.ts";
import { ensureBootstrapPolicy } from "./auth/rbac/ensure-bootstrap-policy.ts";
import { Bootstrap } from "./bootstrap/bootstrap.ts";
import { keepIdentityLease } from "./bootstrap/identity-lease.ts";
import { trackLegacyTokens } from "./bootstrap/legacy-token-tracking.ts";
import { repairServices } from "./bootstrap/repair-services.ts";
import { coreOptions, nodePortRange, serviceNetworks } from "./core-options.ts";
import { serveCustomResources } from "./crd/serve-crds.ts";
import { openDebugPaths } from "./debug/open-debug-paths.ts";
import { addDiscovery } from "./discovery/discovery-paths.ts";
import { openEgress } from "./egress/egress.ts";
import { advertisedAddress, externalAddress, isLoopback } from "./flags/advertised-address.ts";
import { type ApiServerFlags, apiServerFlags, flagSectionList } from "./flags/index.ts";
import { unusedFlagWarnings } from "./flags/unused-flags.ts";
import { validateFlags } from "./flags/validate-flags.ts";
import { openHealth } from "./health/open-health.ts";
import { openMetrics } from "./health/serve-metrics.ts";
import { addVersion, versionInfo } from "./health/version-path.ts";
import { InProcessTransport } from "./http/in-process-transport.ts";
import { Paths } from "./http/paths.ts";
import { ApiHttpServer } from "./http/server.ts";
import type { Handler } from "./model/exchange.ts";
import { openStorage } from "./open-storage.ts";
import { addOpenApi } from "./openapi/open-api-paths.ts";
import { openConnections } from "./proxy/connections.ts";
import { Registry } from "./registry/registry.ts";
import type { Declaration } from "./registry/strategy.ts";
import { openFilters } from "./request-filters.ts";
import { builtInResources } from "./resources/index.ts";
import { enabledResources } from "./resources/runtime-config.ts";
import { openTls } from "./tls/open-tls.ts";
import type { Tracing } from "./trace/open-tracing.ts";

const log = logger("apiserver");

/** Callbacks for a process that runs the server and its clients. */
export interface Seams {
  /** Called when requests are served, with the in-process access to the server. */
  readonly onReady?: (connect: Connect) => void;
}

/** The command `kube-apiserver`, alone or with other components in the same process. */
export const { main, start } = componentCommand({
  parse: (args) => parseFlags(apiServerFlags, args),
  usage: () => flagSections(flagSectionList),
  run: ({ values }, signal, seams?: Seams) => run(values, signal, seams),
});

/** Serves until the signal aborts, then drains; rejects if the server can't start or fails. */
export async function run(
  flags: ApiServerFlags,
  signal: AbortSignal,
  { onReady }: Seams = {},
): Promise<void> {
  const metrics = new Metrics(metricRules(flags));
  const { enabled, compatibility } = checkFlags(flags);
  const egress = openEgress(flags["egress-selector-config-file"]);
  const services = { metrics, egress };
  await using opened = await openStore(flags, metrics, signal);
  const { storage, keys, resources, tracing } = opened;
  await using registry = await Registry.open({
    storage,
    resources: enabledResources(resources, flags["runtime-config"], enabled),
    clock: systemClock,
    collectsGarbage: flags["enable-garbage-collector"],
  });
  using _forgetting = forgetWhenIdle(systemClock, { forget: () => registry.forms.forgetUnused() });
  const authorizer = await openAuthorizer(flags, registry, services);
  const paths = new Paths();
  const address = externalAddress(flags);
  using aggregator = openAggregator(flags, registry, egress.cluster);
  addDiscovery(paths, registry.catalog, address, aggregator);
  addOpenApi(paths, registry.catalog, aggregator);
  const authentication = await openAuthentication(flags, registry, services);
  authentication.addPaths(paths, address);
  const lifecycle = { isStarted: false, isStopping: false };
  const isStarted = () => lifecycle.isStarted;
  const health = { flags, enabled, storage, keys, isStarted, clock: systemClock, log };
  openHealth(paths, health, signal);
  const version = versionInfo(reportedVersion(flags.version), packageVersion(), compatibility);
  addVersion(paths, version);
  await using _debugging = await openDebugPaths(paths, { flags, enabled, clock: systemClock, log });
  using connections = openConnections(flags, systemClock, egress.cluster);
  using _metrics = openMetrics(paths, { flags, registry, metrics, version, enabled });
  const measured = measuredAuthorizer(authorizer, metrics, systemClock);
  await using filters = await openFilters({
    flags,
    registry,
    paths,
    metrics,
    egress,
    enabled,
    authenticators: authentication.authenticators,
    authorizer: measured,
    trace: tracing?.filters,
    isStopping: () => lifecycle.isStopping,
  });
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
  const bootstrap = new Bootstrap({
    registry,
    log,
    ...serviceNetworks(flags),
    securePort: flags["secure-port"],
    nodePort: flags["kubernetes-service-node-port"],
    advertiseAddress: advertisedAddress(flags),
  });
  await bootstrap.run();
  filters.start();
  await ensureBootstrapPolicy({ handler, registry });
  const routeToEndpoints = flags["enable-aggregator-routing"];
  await serveCustomResources(registry, { enabled, routeToEndpoints, egress }, signal);
  await aggregator.start(handler, signal);
  await publishAuthentication({ flags, handler, registry, log }, signal);
  lifecycle.isStarted = true;
  // Work and log lines of the server belong to the server, whatever program calls it.
  const inside = AsyncResource.bind(handler);
  const onListening = () => onReady?.((user) => new InProcessTransport(inside, { user }));
  await serve(
    { flags, enabled, bootstrap, handler, registry, address, lifecycle, onListening },
    signal,
  );
}

/** Refuses invalid flags, and warns of those without effect. */
function checkFlags(flags: ApiServerFlags) {
  const enabled = enabledFeatures(flags["feature-gates"], (warning) => log.info(warning));
  const compatibility = validateFlags(flags, enabled);
  for (const warning of unusedFlagWarnings(flags)) log.warning(warning);
  return { enabled, compatibility };
}

interface OpenedStore extends AsyncDisposable {
  readonly storage: Storage;
  /** Checks of encryption at rest. */
  readonly keys: readonly HealthCheck[];
  readonly resources: readonly Declaration[];
  readonly tracing: Tracing | null;
}

/** The store, with its encryption and metrics; and the registry of its objects. */
async function openStore(
  flags: ApiServerFlags,
  metrics: Metrics,
  signal: AbortSignal,
): Promise<OpenedStore> {
  await using opening = new AsyncDisposableStack();
  const plain = opening.use(await openStorage(flags, systemClock, signal));
  const resources = builtInResources(coreOptions(flags, plain));
  const tracing = opening.use(await openTracingOf(flags));
  const { storage, checks: keys } = await encrypted(plain, resources, flags, metrics);
  const stack = opening.move();
  return {
    storage: tracing ? tracing.storage(storage) : storage,
    keys,
    resources,
    tracing,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

interface Served extends OwnObjects {
  /** For the filters. */
  readonly lifecycle: { isStopping: boolean };
  readonly onListening: () => void;
}

/** Serves at the port until the signal aborts, then waits for pending requests. */
async function serve(options: Served, signal: AbortSignal): Promise<void> {
  const { flags, handler, registry, lifecycle, onListening } = options;
  using tls = await openTls(flags, systemClock);
  await using http = new ApiHttpServer({
    handler,
    clock: systemClock,
    tls: tls.options,
    http2: !flags["disable-http2-serving"],
    maxStreams: flags["http2-max-streams-per-connection"],
    goawayChance: flags["goaway-chance"],
    requestTimeoutMs: flags["request-timeout"],
    onError: (error) => log.error(error, "failed to write reply"),
  });
  tls.onChange((options) => http.setTls(options));
  const shared = flags["permit-port-sharing"];
  const port = await http.listen(flags["secure-port"], flags["bind-address"], shared);
  log.info("serving securely", { address: `${flags["bind-address"]}:${port}` });
  onListening();
  const stop = new AbortController();
  const keeping = keepOwnObjects(options, stop.signal);
  await Promise.race([registry.ended, aborted(signal)]);
  stop.abort();
  await keeping;
  // Load balancers see that /readyz fails before connections are refused.
  await systemClock.sleep(flags["shutdown-delay-duration"]);
  lifecycle.isStopping = true;
  if (!flags["shutdown-send-retry-after"]) http.stopAccepting();
  await http.drain(flags["request-timeout"], flags["shutdown-watch-termination-grace-period"]);
  http.stopAccepting();
}

interface OwnObjects {
  readonly flags: ApiServerFlags;
  readonly enabled: (feature: string) => boolean;
  readonly bootstrap: Bootstrap;
  readonly handler: Handler;
  readonly registry: Registry;
  readonly address: string;
}

/** Maintains the objects that announce this server, until the signal aborts. */
async function keepOwnObjects(options: OwnObjects, signal: AbortSignal): Promise<void> {
  const { flags, bootstrap, handler, registry, address } = options;
  const { clock } = registry;
  const identity = { handler, clock, log, hostname: hostname(), address };
  void keepIdentityLease(identity, signal);
  const repair = { handler, registry, nodePortRange: nodePortRange(flags), log };
  const working = Promise.all([
    chooseLeaders(options, signal).catch((error: unknown) =>
      log.error(error, "failed to coordinate leader election"),
    ),
    repairServices(repair, signal),
  ]).then(() => undefined);
  trackLegacyTokens(handler, registry).catch((error: unknown) =>
    log.error(error, "failed to track the use of legacy tokens"),
  );
  if (flags["endpoint-reconciler-type"] === "none") return working;
  if (isLoopback(advertisedAddress(flags))) {
    log.warning(
      "this server has no address that others reach, so it is no endpoint of its service",
    );
    return working;
  }
  await Promise.all([working, bootstrap.keepEndpoints(signal)]);
}

/** Chooses the leaders of components; loaded only if the feature is on. */
async function chooseLeaders(
  { flags, enabled, handler, registry: { clock } }: OwnObjects,
  signal: AbortSignal,
): Promise<void> {
  if (!enabled("CoordinatedLeaderElection")) return;
  const { coordinateLeaders } = await import("./elections/coordinate-leaders.ts");
  const client = new Client(new InProcessTransport(handler, { user: loopbackUser }));
  const times = {
    leaseDurationMs: flags["coordinated-leadership-lease-duration"],
    renewDeadlineMs: flags["coordinated-leadership-renew-deadline"],
    retryPeriodMs: flags["coordinated-leadership-retry-period"],
  };
  await coordinateLeaders({ client, clock, log, ...times }, signal);
}

/** The recorder of spans, loaded only if tracing is on. */
async function openTracingOf(flags: ApiServerFlags): Promise<Tracing | null> {
  const file = flags["tracing-config-file"];
  if (file === "") return null;
  const { openTracing } = await import("./trace/open-tracing.ts");
  return openTracing(file, systemClock, log);
}

/** The store with encryption, loaded only if it is on. */
async function encrypted(
  storage: Storage,
  resources: readonly Declaration[],
  flags: ApiServerFlags,
  metrics: Metrics,
): Promise<{ readonly storage: Storage; readonly checks: readonly HealthCheck[] }> {
  if (flags["encryption-provider-config"] === "") return { storage, checks: [] };
  const { withEncryption } = await import("./encryption/open-encryption.ts");
  return withEncryption(storage, resources, flags, { clock: systemClock, metrics });
}

function packageVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
