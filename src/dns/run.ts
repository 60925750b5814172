import { hostname } from "node:os";
import { Client } from "#/client/client.ts";
import type { InProcessAccess } from "#/client/connect.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { waitForKubeconfig } from "#/client/kubeconfig/wait-for-kubeconfig.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { componentCommand } from "#/component/component-command.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { type DnsFlags, dnsFlags, flagSectionList, publisherFlags } from "./flags.ts";
import { publishDns, withdrawDns } from "./publisher.ts";
import { serveDns } from "./serve-dns.ts";

const log = logger("cluster-dns");
const agent = { userAgent: userAgent("cluster-dns") };

/** The command `cluster-dns`, as a process or beside other components. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(dnsFlags, args),
  usage: () => flagSections(flagSectionList),
  run: ({ values }, ...rest) => run(values, ...rest),
});

/** Answers DNS queries until the signal aborts. */
export async function run(
  flags: DnsFlags,
  signal: AbortSignal,
  inProcess: InProcessAccess = {},
): Promise<void> {
  if (inProcess.awaitsKubeconfig) await waitForKubeconfig(flags.kubeconfig, signal);
  await using transport = await transportOf(flags, inProcess);
  const client = new Client(transport, agent);
  const nodeName = flags["node-name"] || hostname().toLowerCase();
  await serveDns({ flags, nodeName, client, clock: systemClock, log }, signal);
}

/** Maintains the Service kube-dns and its endpoints: runs once, beside the API server. */
export async function startPublisher(
  args: readonly string[],
  signal: AbortSignal,
  inProcess: InProcessAccess = {},
): Promise<void> {
  const flags = parseFlags(publisherFlags, args).values;
  await using transport = await transportOf(flags, inProcess);
  const client = new Client(transport, agent);
  if (flags.cleanup) return await withdrawDns(client);
  const { port, "cluster-ip": clusterIp } = flags;
  await publishDns({ client, clock: systemClock, log, clusterIp, port }, signal);
}

async function transportOf(
  flags: { readonly kubeconfig: string; readonly master: string },
  { connect }: InProcessAccess,
): Promise<Transport> {
  if (connect) return connect({ name: "system:kube-dns", groups: ["system:authenticated"] });
  return openTransport(flags, agent);
}
