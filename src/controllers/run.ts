/** Upstream: cmd/kube-controller-manager/app/controllermanager.go. */

import { Client, type ClientOptions } from "#/client/client.ts";
import { clientMetrics } from "#/client/client-metrics.ts";
import type { Connect, InProcessAccess } from "#/client/connect.ts";
import { recorder } from "#/client/events/events.ts";
import { type Fence, fencedConnect, fencedTransport, openFence } from "#/client/fenced-connect.ts";
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
import { runControllers } from "#/controller/run-controllers.ts";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { flagTexts, parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { metricRules } from "#/std/metrics/metric-rules.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { flagSectionList, type ManagerFlags, managerFlags } from "./base/flags.ts";
import type { ManagerOptions } from "./base/manager-options.ts";
import { requireFiles } from "./base/require-files.ts";
import { validateFlags } from "./base/validate-flags.ts";
import { servingApprovingController } from "./certificates/approve-serving.ts";
import type { ReservedNames } from "./certificates/serving-names.ts";
import { controllerEntries } from "./index.ts";
import { isKnownController, selectControllers } from "./select-controllers.ts";

const log = logger("controllermanager");
const component = "kube-controller-manager";

/** The command `kube-controller-manager`, as a process or beside other components. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(managerFlags, args),
  validate: ({ values }) => checkFlags(values),
  usage: () => flagSections(flagSectionList),
  run: ({ values }, ...rest) => run(values, ...rest),
});

const checkFlags = (flags: ManagerFlags): void =>
  validateFlags(flags, (name) => isKnownController(controllerEntries, name));

/**
 * Runs the selected controllers until the signal aborts, as leader if leader election is enabled.
 */
export async function run(
  flags: ManagerFlags,
  signal: AbortSignal,
  { connect }: InProcessAccess = {},
): Promise<void> {
  checkFlags(flags);
  const options: ManagerOptions = { flags, enabled: enabledFeatures(flags["feature-gates"]) };
  const entries = selectControllers(controllerEntries, options);
  requireFiles(flags, (name) => entries.some(({ controller }) => controller.name === name));
  const metrics = new Registry(metricRules(flags));
  const clientOptions: ClientOptions = {
    userAgent: userAgent(component),
    metrics: clientMetrics(metrics),
  };
  await using transport = connect
    ? connect({ name: "system:kube-controller-manager", groups: ["system:authenticated"] })
    : await openTransport(flags);
  // The election and status pages; controllers have a client that ends with the leadership.
  const plain = new Client(transport, clientOptions);
  const accounts = new Map(
    entries.map(({ controller, account = controller.name }) => [controller.name, account]),
  );
  const as = flags["use-service-account-credentials"]
    ? (connect ?? (await connectByTokens(flags, plain)))
    : undefined;
  await using _server = await serveComponent({
    name: component,
    flagTexts: flagTexts(managerFlags, flags),
    client: plain,
    flags,
    metrics,
  });
  const lead = async (leading: AbortSignal, fence = openFence(leading)): Promise<void> => {
    log.info("starting controllers", { count: entries.length });
    const client = new Client(fencedTransport(transport, fence), clientOptions);
    const connectAs = as && fencedConnect(as, fence);
    const recording = new StepRecorder(client);
    await using steps = openSteps(recording, tracingOfFlags(flags), { service: component, log });
    await runControllers(
      entries.map(({ controller }) => controller),
      {
        client,
        options,
        metrics,
        steps,
        recorderFor: (source) => recorder(client, { component: source, signal: leading }),
        ...(connectAs
          ? {
              clientFor: (name: string) =>
                new Client(connectAs(accountIdentity(accounts.get(name) ?? name)), clientOptions),
            }
          : {}),
      },
      leading,
    );
  };
  if (!flags["leader-elect"]) return await lead(signal);
  await runAsLeader(leaderOptions(component, flags, { client: plain, metrics }), lead, signal);
}

/** Options of startServingApproval(). */
interface ServingApproval {
  readonly connect: Connect;
  readonly user: Parameters<Connect>[0];
  readonly reserved: ReservedNames;
}

/** Approves serving certificates of kubelets: for clusters that trust their own nodes, beside the API server. */
export async function startServingApproval(
  signal: AbortSignal,
  { connect, user, reserved }: ServingApproval,
): Promise<void> {
  await using transport = connect(user);
  const client = new Client(transport, { userAgent: userAgent("k8ts-cluster") });
  await runControllers([servingApprovingController], { client, options: reserved }, signal);
}

/** Options of runWhileLeading(). */
interface LeadOptions {
  readonly connect: Connect;
  readonly user: Parameters<Connect>[0];
  /** The name of the lease, in kube-system. */
  readonly lease: string;
  /** Unique among the candidates. */
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/**
 * Waits until this process leads, then runs a task as long as it does: for tasks beside the API server of which a cluster has
 * one. Access that the task is given ends with the leadership.
 */
export async function runWhileLeading(
  { connect, user, lease, ...times }: LeadOptions,
  task: (signal: AbortSignal, connect: Connect) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  await using transport = connect(user);
  const client = new Client(transport, { userAgent: userAgent("k8ts-cluster") });
  const options = { client, lease: { namespace: "kube-system", name: lease }, ...times };
  const lead = (leading: AbortSignal, fence: Fence) => task(leading, fencedConnect(connect, fence));
  await runAsLeader(options, lead, signal);
}
