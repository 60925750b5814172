/** Upstream: sigs.k8s.io/metrics-server, cmd/metrics-server. */
import { Client } from "#/client/client.ts";
import { clientMetrics } from "#/client/client-metrics.ts";
import type { InProcessAccess } from "#/client/connect.ts";
import { credentialsFor } from "#/client/kubeconfig/connection-options.ts";
import { findInCluster } from "#/client/kubeconfig/in-cluster.ts";
import { loadKubeconfig } from "#/client/kubeconfig/kubeconfig-files.ts";
import { selectContext } from "#/client/kubeconfig/select-context.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import type { Credentials } from "#/client/transport/credentials.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { componentCommand } from "#/component/component-command.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { flagTexts, parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import {
  flagSectionList,
  type MetricsServerFlags,
  metricsServerFlags,
  validateFlags,
} from "./flags.ts";
import { withdraw } from "./publisher.ts";
import { serveMetrics } from "./serve-metrics.ts";

const component = "metrics-server";
const log = logger(component);

/** The command `metrics-server`, as a process or beside other components. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(metricsServerFlags, args),
  usage: () => flagSections(flagSectionList),
  run: ({ values }, ...rest) => run(values, ...rest),
});

/** Serves the metrics API until the signal aborts; with --cleanup, removes its registration. */
async function run(
  flags: MetricsServerFlags,
  signal: AbortSignal,
  { connect }: InProcessAccess = {},
): Promise<void> {
  validateFlags(flags);
  const registry = new Registry();
  await using transport = connect
    ? connect({ name: "system:metrics-server", groups: ["system:authenticated"] })
    : await openTransport(flags, { userAgent: userAgent(component) });
  const client = new Client(transport, {
    userAgent: userAgent(component),
    metrics: clientMetrics(registry),
  });
  if (flags.cleanup) return await withdraw(client);
  using credentials = await kubeletCredentials(flags);
  await serveMetrics(
    {
      flags,
      flagTexts: flagTexts(metricsServerFlags, flags),
      client,
      credentials,
      sharesObjects: connect !== undefined,
      registry,
      clock: systemClock,
      log,
    },
    signal,
  );
}

/** The credentials for the API server, which serve for kubelets, too; undefined for no encryption, or if there are none. */
async function kubeletCredentials(flags: MetricsServerFlags): Promise<Credentials | undefined> {
  if (flags["deprecated-kubelet-completely-insecure"]) return undefined;
  const selected =
    flags.kubeconfig === ""
      ? findInCluster()
      : selectContext((await loadKubeconfig(flags.kubeconfig)).config);
  return selected && credentialsFor(selected.cluster, selected.user);
}
