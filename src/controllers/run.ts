/** Upstream: cmd/kube-controller-manager/app/controllermanager.go. */

import { Client, type ClientOptions } from "#/client/client.ts";
import { clientMetrics } from "#/client/client-metrics.ts";
import type { Connect, InProcessAccess } from "#/client/connect.ts";
import { recorder } from "#/client/events/events.ts";
import { StepRecorder } from "#/client/journey/recorder.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { accountIdentity, connectByTokens } from "#/component/account-access.ts";
import { componentCommand } from "#/component/component-command.ts";
import { serveComponent } from "#/component/component-server.ts";
import { runAsLeader } from "#/component/leader-election.ts";
import { leaderOptions } from "#/component/leader-options.ts";
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
  const client = new Client(transport, clientOptions);
  const accounts = new Map(
    entries.map(({ controller, account = controller.name }) => [controller.name, account]),
  );
  const as = flags["use-service-account-credentials"]
    ? (connect ?? (await connectByTokens(flags, client)))
    : undefined;
  await using _server = await serveComponent({
    name: component,
    flagTexts: flagTexts(managerFlags, flags),
    client,
    flags,
    metrics,
  });
  const lead = async (leading: AbortSignal): Promise<void> => {
    log.info("starting controllers", { count: entries.length });
    await using steps = new StepRecorder(client);
    await runControllers(
      entries.map(({ controller }) => controller),
      {
        client,
        options,
        metrics,
        steps,
        recorderFor: (source) => recorder(client, { component: source, signal: leading }),
        ...(as
          ? {
              clientFor: (name: string) =>
                new Client(as(accountIdentity(accounts.get(name) ?? name)), clientOptions),
            }
          : {}),
      },
      leading,
    );
  };
  if (!flags["leader-elect"]) return await lead(signal);
  await runAsLeader(leaderOptions(component, flags, { client, metrics }), lead, signal);
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
