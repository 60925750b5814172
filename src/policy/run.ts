import { hostname } from "node:os";
import { Client } from "#/client/client.ts";
import { clientMetrics } from "#/client/client-metrics.ts";
import type { InProcessAccess } from "#/client/connect.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { waitForKubeconfig } from "#/client/kubeconfig/wait-for-kubeconfig.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { componentCommand } from "#/component/component-command.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { setKernelFile } from "#/std/kernel/kernel-changes.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { processMetrics } from "#/std/metrics/process-metrics.ts";
import { followRemovals } from "#/std/netfilter/removals.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { flagSectionList, type NetworkPolicyFlags, networkPolicyFlags } from "./flags.ts";
import { removeTables } from "./kernel/remove-tables.ts";
import { policyMetrics } from "./metrics.ts";
import { servePolicies } from "./serve-policies.ts";

const log = logger("network-policy");
const agent = { userAgent: userAgent("k8ts-network-policy") };

/** The command `network-policy`, as a process or beside other components. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(networkPolicyFlags, args),
  usage: () => flagSections(flagSectionList),
  run: ({ values }, ...rest) => run(values, ...rest),
});

/** Enforces policies until the signal aborts; the rules stay then. */
async function run(
  flags: NetworkPolicyFlags,
  signal: AbortSignal,
  { connect, awaitsKubeconfig }: InProcessAccess = {},
): Promise<void> {
  if (flags.cleanup) return await removeTables(runProgram);
  const nodeName = flags["node-name"] || hostname().toLowerCase();
  if (awaitsKubeconfig) await waitForKubeconfig(flags.kubeconfig, signal);
  const registry = new Registry();
  using _process = processMetrics(registry);
  await using transport = connect
    ? connect({ name: `system:node:${nodeName}`, groups: ["system:nodes"] })
    : await openTransport(flags, agent);
  const client = new Client(transport, { ...agent, metrics: clientMetrics(registry) });
  await servePolicies(
    {
      client,
      nodeName,
      podCidrs: flags["pod-cidr"],
      run: runProgram,
      setKernelValue: (path, value) => setKernelFile(`/proc/sys/${path}`, value),
      followRemovals,
      metrics: policyMetrics(registry),
      registry,
      statusAddress: flags["status-bind-address"],
      clock: systemClock,
      log,
    },
    signal,
  );
}
