import { hostname } from "node:os";
import { Client } from "#/client/client.ts";
import type { InProcessAccess } from "#/client/connect.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { waitForKubeconfig } from "#/client/kubeconfig/wait-for-kubeconfig.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { componentCommand } from "#/component/component-command.ts";
import { runThread } from "#/component/run-thread.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { FlagError, parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { type DnsFlags, dnsFlags, flagSectionList } from "./flags.ts";

const log = logger("cluster-dns");
const agent = { userAgent: userAgent("cluster-dns") };

/** The command `cluster-dns`, as a process or beside other components. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(dnsFlags, args),
  usage: () => flagSections(flagSectionList),
  run: ({ values }, ...rest) => run(values, ...rest),
});

/** Runs one half of the cluster's DNS until the signal aborts. */
export async function run(
  flags: DnsFlags,
  signal: AbortSignal,
  inProcess: InProcessAccess = {},
): Promise<void> {
  const { mode } = flags;
  if (mode !== "node" && mode !== "service") {
    throw new FlagError(
      `invalid argument "${mode}" for "--mode" flag: must be one of node, service`,
    );
  }
  if (inProcess.awaitsKubeconfig) await waitForKubeconfig(flags.kubeconfig, signal);
  await using transport = await transportOf(flags, inProcess);
  const client = new Client(transport, agent);
  if (mode === "service" || flags.cleanup) return await runPublisher(flags, client, signal);
  const nodeName = flags["node-name"] || hostname().toLowerCase();
  const { serveDns } = await import("./serve-dns.ts");
  await serveDns({ flags, nodeName, client, clock: systemClock, log }, signal);
}

/** Keeps the Service kube-dns and its endpoints. */
async function runPublisher(flags: DnsFlags, client: Client, signal: AbortSignal): Promise<void> {
  const { publishDns, withdrawDns } = await import("./publisher.ts");
  if (flags.cleanup) return await withdrawDns(client);
  const { port, "cluster-ip": clusterIp, "corefile-configmap": corefileConfigMap } = flags;
  const options = { client, clock: systemClock, log, clusterIp, port, corefileConfigMap };
  await publishDns(options, signal);
}

/** Limit of the heap of the thread (MiB): 10,000 Services and 100,000 endpoints take about 100. */
const heapMib = 384;

/** Answers DNS queries in a thread of its own until the signal aborts: whatever the kubelet does, and the other way round. */
export const startThread = (args: readonly string[], signal: AbortSignal): Promise<void> =>
  runThread(
    new URL("./thread.ts", import.meta.url),
    { name: "cluster-dns", args, heapMib },
    signal,
  );

async function transportOf(
  flags: { readonly kubeconfig: string; readonly master: string },
  { connect }: InProcessAccess,
): Promise<Transport> {
  if (connect) return connect({ name: "system:kube-dns", groups: ["system:authenticated"] });
  return openTransport(flags, agent);
}
