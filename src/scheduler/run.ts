import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { hostname } from "node:os";
import { Client } from "#/client/client.ts";
import { clientMetrics, leaderMetrics } from "#/client/client-metrics.ts";
import type { InProcessAccess } from "#/client/connect.ts";
import { seriesRecorder } from "#/client/events/event-series.ts";
import { type Fence, openFence, WriteGate } from "#/client/fenced-connect.ts";
import { Informers } from "#/client/informers/informers.ts";
import { StepRecorder, type StepSink } from "#/client/journey/recorder.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { componentCommand } from "#/component/component-command.ts";
import {
  type ComponentReply,
  type ComponentServer,
  serveComponent,
} from "#/component/component-server.ts";
import { runAsLeader } from "#/component/leader-election.ts";
import { openSteps } from "#/component/traced-steps.ts";
import { tracingOfFlags } from "#/component/tracing-configuration.ts";
import { systemRandom } from "#/std/base/random.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { flagTexts, type ParsedFlags, parseFlags } from "#/std/flags/flags.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { logger } from "#/std/log/log.ts";
import { metricRules } from "#/std/metrics/metric-rules.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { processMetrics } from "#/std/metrics/process-metrics.ts";
import { requestUrl } from "#/std/net/request-url.ts";
import { yaml } from "#/std/text/yaml.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { KubeSchedulerConfiguration } from "./config/configuration.ts";
import { effectiveConfiguration } from "./config/effective-configuration.ts";
import { flagSectionList, type SchedulerFlags, schedulerFlags } from "./config/flags.ts";
import { eventSink } from "./event-sink.ts";
import { SchedulerMetrics } from "./metrics.ts";
import { plugins } from "./plugins/index.ts";
import { Scheduler } from "./scheduler.ts";

const log = logger("scheduler");
const component = "kube-scheduler";
/** User name and groups of the scheduler at an API server in the same process. */
const identity = { name: "system:kube-scheduler", groups: ["system:authenticated"] };

type Parsed = ParsedFlags<typeof schedulerFlags>;

/** The command `kube-scheduler`, on its own or beside others. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(schedulerFlags, args),
  usage: () => flagSections(flagSectionList),
  validate: async (parsed) => void (await effectiveConfiguration(parsed, plugins)),
  run,
});

/** Schedules until the signal aborts; rejects if the scheduler can't start, or loses its leadership. */
export async function run(
  parsed: Parsed,
  signal: AbortSignal,
  { connect }: InProcessAccess = {},
): Promise<void> {
  const config = await effectiveConfiguration(parsed, plugins);
  const written = parsed.values["write-config-to"];
  if (written !== "") return await writeFile(written, yaml().stringify(config));
  const { kubeconfig } = config.clientConnection;
  await using transport: Transport = connect
    ? connect(identity)
    : await openTransport({ kubeconfig, master: parsed.values.master });
  const registry = new Registry(metricRules(parsed.values));
  using _process = processMetrics(registry);
  const informersStop = new AbortController();
  using _informers = { [Symbol.dispose]: () => informersStop.abort() };
  const common = { userAgent: userAgent(component), metrics: clientMetrics(registry) };
  const { qps, burst } = config.clientConnection;
  const gate = new WriteGate();
  const open = (): Client => new Client(gate.guard(transport), { ...common, qps, burst });
  const plain = new Client(transport, common);
  const tracing = tracingOfFlags(parsed.values);
  await using steps = openSteps(new StepRecorder(plain), tracing, { service: component, log });
  const services = { registry, steps, signal: informersStop.signal };
  const scheduler = openScheduler(parsed.values, config, open, services);
  await using server = new AsyncDisposableStack();
  if (parsed.values["secure-port"] !== 0) {
    server.use(await serve(parsed.values, config, { client: plain, registry, scheduler }));
  }
  log.info("started scheduler", {
    profiles: config.profiles.map(({ schedulerName }) => schedulerName),
  });
  const work = (stop: AbortSignal, fence = openFence(stop)): Promise<void> => {
    gate.open(fence);
    return scheduler.run(stop);
  };
  if (config.leaderElection.leaderElect)
    await lead({ client: plain, registry }, config, work, signal);
  else await work(signal);
}

interface SchedulerServices {
  readonly registry: Registry;
  readonly steps: StepSink;
  readonly signal: AbortSignal;
}

function openScheduler(
  flags: SchedulerFlags,
  config: KubeSchedulerConfiguration,
  openClient: () => Client,
  { registry, steps, signal }: SchedulerServices,
): Scheduler {
  const client = openClient();
  // Events have a rate limit of their own, so that they don't delay bindings.
  const eventClient = openClient();
  return new Scheduler({
    config,
    client,
    informers: new Informers(client, signal),
    clock: systemClock,
    random: systemRandom,
    metrics: new SchedulerMetrics(registry, systemClock),
    record: eventSink((name) => seriesRecorder(eventClient, { component: name, signal })),
    steps,
    maxUnschedulableMs: flags["pod-max-in-unschedulable-pods-duration"],
  });
}

async function lead(
  { client, registry }: { readonly client: Client; readonly registry: Registry },
  { leaderElection: election }: KubeSchedulerConfiguration,
  work: (signal: AbortSignal, fence: Fence) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const options = {
    client,
    lease: { namespace: election.resourceNamespace, name: election.resourceName },
    identity: `${hostname()}_${randomUUID()}`,
    leaseDurationMs: parseDuration(election.leaseDuration),
    renewDeadlineMs: parseDuration(election.renewDeadline),
    retryPeriodMs: parseDuration(election.retryPeriod),
    onLeading: leaderMetrics(registry, election.resourceName),
  };
  await runAsLeader(options, work, signal);
}

function serve(
  flags: SchedulerFlags,
  config: KubeSchedulerConfiguration,
  parts: { readonly client: Client; readonly registry: Registry; readonly scheduler: Scheduler },
): Promise<ComponentServer> {
  const { client, registry, scheduler } = parts;
  const synced = {
    name: "informer-sync",
    check: (): void => {
      if (!scheduler.hasSynced) throw new Error("informers have not synced");
    },
  };
  return serveComponent({
    name: "kube-scheduler",
    flagTexts: flagTexts(schedulerFlags, flags),
    client,
    flags,
    metrics: registry,
    configz: () => ({ "kubescheduler.config.k8s.io": config }),
    readyz: [synced],
    paths: { "/debug/explain": (request) => explain(scheduler, request) },
  });
}

/** `/debug/explain?pod=NAMESPACE/NAME`: why a pod was placed on its node, or on none. */
function explain(scheduler: Scheduler, request: IncomingMessage): ComponentReply {
  const pod = requestUrl(request).searchParams.get("pod") ?? "";
  const explanation = scheduler.explanations.get(pod);
  if (explanation === undefined) return { status: 404, body: `nothing is known of pod "${pod}"\n` };
  return { contentType: "application/json", body: `${JSON.stringify(explanation, null, 2)}\n` };
}
