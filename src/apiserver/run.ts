import { AsyncResource } from "node:async_hooks";
import { readFileSync } from "node:fs";
import type { Connect } from "#/client/connect.ts";
import { componentCommand, reportedVersion } from "#/component/component-command.ts";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { aborted } from "#/std/async/aborted.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { forgetWhenIdle } from "#/std/memory/forget-when-idle.ts";
import { metricRules } from "#/std/metrics/metric-rules.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";
import { openAggregator } from "./aggregator/open-aggregator.ts";
import { publishAuthentication } from "./aggregator/publish-authentication.ts";
import { ensureBootstrapPolicy } from "./auth/rbac/ensure-bootstrap-policy.ts";
import { Bootstrap } from "./bootstrap/bootstrap.ts";
import { serviceNetworks } from "./core-options.ts";
import { serveCustomResources } from "./crd/serve-crds.ts";
import { openDebugPaths } from "./debug/open-debug-paths.ts";
import { addDiscovery } from "./discovery/discovery-paths.ts";
import { openEgress } from "./egress/egress.ts";
import { advertisedAddress, externalAddress } from "./flags/advertised-address.ts";
import { type ApiServerFlags, apiServerFlags, flagSectionList } from "./flags/index.ts";
import { journeyDirectory } from "./flags/journey.ts";
import { unusedFlagWarnings } from "./flags/unused-flags.ts";
import { validateFlags } from "./flags/validate-flags.ts";
import { openHealth } from "./health/open-health.ts";
import { openMetrics } from "./health/serve-metrics.ts";
import { addVersion, versionInfo } from "./health/version-path.ts";
import { InProcessTransport } from "./http/in-process-transport.ts";
import { Paths } from "./http/paths.ts";
import { ApiHttpServer } from "./http/server.ts";
import type { Journeys } from "./journey/open-journeys.ts";
import { keepOwnObjects, type OwnObjects } from "./keep-own-objects.ts";
import { openRequests, type Server } from "./open-requests.ts";
import { type OpenedStore, openStore } from "./open-store.ts";
import { addOpenApi } from "./openapi/open-api-paths.ts";
import { Registry } from "./registry/registry.ts";
import { enabledResources } from "./resources/runtime-config.ts";
import { openTls } from "./tls/open-tls.ts";
import { validateStart } from "./validate-start.ts";

const log = logger("apiserver");

/** Callbacks for a process that runs the server and its clients. */
export interface Seams {
  /** Called when requests are served, with the in-process access to the server. */
  readonly onReady?: (connect: Connect) => void;
  /** Names of the flags that were given, where a given default differs from none. */
  readonly given?: ReadonlySet<string>;
}

/** The command `kube-apiserver`, alone or with other components in the same process. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(apiServerFlags, args),
  validate: ({ values }) => validateStart(values),
  usage: () => flagSections(flagSectionList),
  run: ({ values, changed }, signal, seams?: Seams) =>
    run(values, signal, { ...seams, given: changed }),
});

/**
 * Serves until the signal aborts, then drains; rejects if the server can't start or fails.
 *
 * The order: the store and its objects; the fixed paths; the gates, which read objects; the handler of requests, made of
 * these; the server's own objects, written through the handler; and only then the port.
 */
export async function run(
  flags: ApiServerFlags,
  signal: AbortSignal,
  { onReady, given = new Set() }: Seams = {},
): Promise<void> {
  const metrics = new Metrics(metricRules(flags));
  const { enabled, compatibility } = checkFlags(flags);
  const egress = openEgress(flags["egress-selector-config-file"]);
  const lifecycle = { isStarted: false, isStopping: false };
  await using store = await openStore(flags, { metrics, given }, signal);
  await using registry = await openRegistry(flags, store.storage, { ...store, enabled });
  using files = new DisposableStack();
  const server: Server = { flags, enabled, metrics, egress, store, registry, files, lifecycle };
  const address = externalAddress(flags);
  const paths = new Paths();
  using aggregator = openAggregator(flags, registry, { dial: egress.cluster, files });
  addDiscovery(paths, registry.catalog, address, aggregator);
  const openApi = addOpenApi(paths, registry.catalog, aggregator);
  const forget = () => {
    registry.forms.forgetUnused();
    openApi.forgetUnused();
  };
  using _forgetting = forgetWhenIdle(systemClock, { forget });
  await using _ownPaths = await openOwnPaths(paths, { ...server, compatibility }, signal);
  await using journeys = await openJourneysOf(flags);
  await journeys?.serve(registry);
  const marks = journeys?.recorder;
  await using requests = await openRequests(server, { paths, aggregator, address, marks });
  const { handler } = requests;
  const bootstrap = new Bootstrap({
    registry,
    log,
    ...serviceNetworks(flags),
    securePort: flags["secure-port"],
    nodePort: flags["kubernetes-service-node-port"],
    advertiseAddress: advertisedAddress(flags),
  });
  await bootstrap.run();
  requests.start();
  await ensureBootstrapPolicy({ handler, registry });
  await journeys?.ensurePolicy(handler, registry);
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

/** The recorder of journeys, loaded only if they are recorded. */
async function openJourneysOf(flags: ApiServerFlags): Promise<Journeys | null> {
  if (!flags.journey) return null;
  const { openJourneys } = await import("./journey/open-journeys.ts");
  return openJourneys({
    clock: systemClock,
    directory: journeyDirectory(flags),
    writesObjects: flags["encryption-provider-config"] === "",
    takesSpans: flags["journey-traces"],
  });
}

function openRegistry(
  flags: ApiServerFlags,
  storage: Storage,
  { resources, enabled }: Pick<OpenedStore, "resources"> & Pick<Server, "enabled">,
): Promise<Registry> {
  return Registry.open({
    storage,
    resources: enabledResources(resources, flags["runtime-config"], enabled),
    clock: systemClock,
    collectsGarbage: flags["enable-garbage-collector"],
  });
}

/** The paths about the server itself: health, version, metrics, profiles. */
async function openOwnPaths(
  paths: Paths,
  {
    flags,
    enabled,
    metrics,
    store: { storage, keys },
    registry,
    lifecycle,
    compatibility,
  }: Server & Pick<ReturnType<typeof checkFlags>, "compatibility">,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  const isStarted = () => lifecycle.isStarted;
  openHealth(paths, { flags, enabled, storage, keys, isStarted, clock: systemClock, log }, signal);
  const version = versionInfo(reportedVersion(flags.version), packageVersion(), compatibility);
  addVersion(paths, version);
  await using opening = new AsyncDisposableStack();
  opening.use(await openDebugPaths(paths, { flags, enabled, clock: systemClock, log }));
  opening.use(openMetrics(paths, { flags, registry, metrics, version, enabled }));
  return opening.move();
}

/** Refuses invalid flags, and warns of those without effect. */
function checkFlags(flags: ApiServerFlags) {
  const enabled = enabledFeatures(flags["feature-gates"], (warning) => log.info(warning));
  const compatibility = validateFlags(flags, enabled);
  for (const warning of unusedFlagWarnings(flags)) log.warning(warning);
  return { enabled, compatibility };
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

function packageVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
