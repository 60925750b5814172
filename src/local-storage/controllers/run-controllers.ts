import { Client } from "#/client/client.ts";
import { recorder } from "#/client/events/events.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { systemClock } from "#/std/time/clock.ts";
import { clusterControllers } from "./index.ts";
import { installDefinitions } from "./install-definitions.ts";

/** Runs the controllers, which need the custom resources, until the signal aborts. */
export async function runClusterControllers(
  transport: Transport,
  signal: AbortSignal,
): Promise<void> {
  const client = new Client(transport, { userAgent: userAgent("local-storage") });
  const clock = systemClock;
  await installDefinitions(client, clock, signal);
  const recorderFor = (component: string) => recorder(client, { component, signal });
  await runControllers(
    clusterControllers,
    { client, options: undefined, clock, recorderFor },
    signal,
  );
}
