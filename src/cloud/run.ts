/** Upstream: staging/src/k8s.io/cloud-provider/app/controllermanager.go. */

import { Client, type ClientOptions } from "#/client/client.ts";
import { clientMetrics } from "#/client/client-metrics.ts";
import type { InProcessAccess } from "#/client/connect.ts";
import { recorder } from "#/client/events/events.ts";
import { openFence, WriteGate } from "#/client/fenced-connect.ts";
import { Informers } from "#/client/informers/informers.ts";
import { StepRecorder } from "#/client/journey/recorder.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { accountIdentity, connectByTokens } from "#/component/account-access.ts";
import { componentCommand } from "#/component/component-command.ts";
import { serveComponent } from "#/component/component-server.ts";
import { runAsLeader } from "#/component/leader-election.ts";
import { leaderOptions } from "#/component/leader-options.ts";
import { openSteps } from "#/component/traced-steps.ts";
import { tracingOfFlags } from "#/component/tracing-configuration.ts";
import type { Controller } from "#/controller/controller.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { aborted } from "#/std/async/aborted.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { type FlagSet, flagTexts, parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { metricRules } from "#/std/metrics/metric-rules.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { CloudOptions } from "./base/cloud-options.ts";
import { type CloudFlags, cloudFlags, flagSectionList } from "./base/flags.ts";
import { isKnownName, type NamedController, selectNames } from "./base/select-names.ts";
import { validateFlags } from "./base/validate-flags.ts";
import { controllerEntries } from "./controllers/index.ts";
import { openProvider } from "./open-provider.ts";
import { driftController, driftControllerName } from "./plan/drift-controller.ts";
import { printPlan } from "./plan/print-plan.ts";
import { providers } from "./providers.ts";

const log = logger("cloud");
const component = "cloud-controller-manager";

const providerSections = providers.flatMap(({ name, flags }) =>
  flags ? [{ title: `Provider ${name}`, flags }] : [],
);
const allFlags: typeof cloudFlags & FlagSet = Object.assign(
  {},
  cloudFlags,
  ...providerSections.map(({ flags }) => flags),
);

const allControllers: readonly NamedController[] = [
  ...controllerEntries.map(({ controller: { name }, alias }) => ({ name, alias })),
  ...providers.flatMap(({ controllers = [] }) => controllers),
  { name: driftControllerName, isOffByDefault: true },
];

/** The command `cloud-controller-manager`, as a process or beside other components. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(allFlags, args),
  validate: ({ values }) => checkFlags(values),
  usage: () => flagSections([...flagSectionList, ...providerSections]),
  run: ({ values }, ...rest) => run(values, ...rest),
});

const checkFlags = (flags: CloudFlags): void =>
  validateFlags(flags, (name) => isKnownName(allControllers, name));

/** Runs the selected controllers until the signal aborts, as leader if leader election is enabled. */
async function run(
  flags: CloudFlags,
  signal: AbortSignal,
  { connect }: InProcessAccess = {},
): Promise<void> {
  checkFlags(flags);
  const metrics = new Registry(metricRules(flags));
  const clientOptions: ClientOptions = {
    userAgent: userAgent(component),
    metrics: clientMetrics(metrics),
  };
  await using transport = connect
    ? connect({ name: `system:${component}`, groups: ["system:authenticated"] })
    : await openTransport(flags);
  const gate = new WriteGate();
  // The election and status pages; the others write while this process leads.
  const plain = new Client(transport, clientOptions);
  const client = new Client(gate.guard(transport), clientOptions);
  const informers = new Informers(client, signal, { clock: systemClock, strict: true });
  const provider = await openProvider(flags, {
    client,
    informers,
    clusterName: flags["cluster-name"],
    clock: systemClock,
    signal,
    metrics,
    log: logger(flags["cloud-provider"]),
    recorderFor: (source) => recorder(client, { component: source, signal }),
  });
  const options: CloudOptions = {
    provider,
    flags,
    enabled: enabledFeatures(flags["feature-gates"]),
  };
  if (flags["plan-only"]) return await printPlan({ informers, options, signal });
  const controllers = chosenControllers(options);
  await using _server = await serveComponent({
    name: component,
    flagTexts: flagTexts(allFlags, flags),
    client: plain,
    flags,
    metrics,
  });
  const as = flags["use-service-account-credentials"]
    ? (connect ?? (await connectByTokens(flags, plain)))
    : undefined;
  const clientFor = (name: string) =>
    as ? new Client(gate.guard(as(accountIdentity(accountOf(name)))), clientOptions) : client;
  const lead = async (leading: AbortSignal, fence = openFence(leading)): Promise<void> => {
    gate.open(fence);
    log.info("starting controllers", { names: controllers.map(({ name }) => name).join(" ") });
    const recorderFor = (source: string) =>
      recorder(client, { component: source, signal: leading });
    const recording = new StepRecorder(client);
    await using steps = openSteps(recording, tracingOfFlags(flags), { service: component, log });
    const shared = { client, options, metrics, informers, steps, clientFor, recorderFor };
    await runControllers(controllers, shared, leading);
    // All of them may have ended, because the provider lacks what they need.
    await aborted(leading);
  };
  if (!flags["leader-elect"]) return await lead(signal);
  await runAsLeader(leaderOptions(component, flags, { client: plain, metrics }), lead, signal);
}

const accountOf = (name: string): string =>
  controllerEntries.find(({ controller }) => controller.name === name)?.account ?? name;

/** The selected controllers, those of the provider included. */
function chosenControllers({ flags, provider }: CloudOptions): Controller<CloudOptions>[] {
  const names = selectNames(allControllers, flags.controllers);
  const all: Controller<CloudOptions>[] = [
    ...controllerEntries.map(({ controller }) => controller),
    ...(provider.controllers ?? []),
    driftController,
  ];
  for (const { name } of all) if (!names.has(name)) log.warning(`"${name}" is disabled`);
  return all.filter(({ name }) => names.has(name));
}
