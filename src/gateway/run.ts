import { Worker } from "node:worker_threads";
import { Client } from "#/client/client.ts";
import type { InProcessAccess } from "#/client/connect.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { waitForKubeconfig } from "#/client/kubeconfig/wait-for-kubeconfig.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { componentCommand } from "#/component/component-command.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { firstRoute } from "./first-route.ts";
import { flagSectionList, type GatewayFlags, gatewayFlags } from "./flags.ts";

const log = logger("gateway");
const agent = { userAgent: userAgent("k8ts-gateway") };
const user = { name: "system:k8ts-gateway", groups: ["system:authenticated"] };

/** Limit of the heap of a gateway's thread (MiB): 10,000 routes take about 60. */
const heapMib = 512;

/** The command `gateway`, as a process or in the thread of a process. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(gatewayFlags, args),
  usage: () => flagSections(flagSectionList),
  run: ({ values }, ...rest) => run(values, ...rest),
});

/** Serves all routes until the signal aborts; with --cleanup, removes its endpoint. */
async function run(
  flags: GatewayFlags,
  signal: AbortSignal,
  { connect, awaitsKubeconfig }: InProcessAccess = {},
): Promise<void> {
  if (awaitsKubeconfig) await waitForKubeconfig(flags.kubeconfig, signal);
  await using transport = connect ? connect(user) : await openTransport(flags, agent);
  const client = new Client(transport, agent);
  if (flags.cleanup) {
    const { withdrawEndpoint } = await import("./endpoint-publisher.ts");
    return await withdrawEndpoint(client, flags.service, flags["node-name"]);
  }
  // Not loaded by a process that only starts the thread.
  const { serveGateway } = await import("./serve-gateway.ts");
  await serveGateway({ flags, client, clock: systemClock, log }, signal);
}

/**
 * Runs the gateway in a thread of its own until the signal aborts: requests of clients must not delay this process. With
 * access to the server, it waits until there is something to serve: a thread takes 30 MiB.
 */
export async function startThread(
  args: readonly string[],
  signal: AbortSignal,
  { connect }: InProcessAccess = {},
): Promise<void> {
  if (connect) {
    await using transport = connect(user);
    const { service } = parseFlags(gatewayFlags, args).values;
    await firstRoute(new Client(transport, agent), service, signal);
  }
  const worker = new Worker(new URL("./thread.ts", import.meta.url), {
    workerData: args,
    resourceLimits: { maxOldGenerationSizeMb: heapMib },
  });
  const ended = Promise.withResolvers<void>();
  worker.once("error", ended.reject);
  worker.once("exit", (code) =>
    code === 0 || signal.aborted
      ? ended.resolve()
      : ended.reject(new Error(`the gateway's thread ended with ${code}`)),
  );
  const stop = (): void => worker.postMessage("stop");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    await ended.promise;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
