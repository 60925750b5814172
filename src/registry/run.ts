import { Client } from "#/client/client.ts";
import type { InProcessAccess } from "#/client/connect.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { componentCommand } from "#/component/component-command.ts";
import { aborted } from "#/std/async/aborted.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { FlagError, parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { flagSectionList, type RegistryFlags, registryFlags } from "./flags.ts";
import { publishHosting, withdrawHosting } from "./publish-hosting.ts";
import { serveRegistry } from "./serve-registry.ts";

const log = logger("registry");
const agent = { userAgent: userAgent("k8ts-registry") };

/** The command `registry`, as a process or beside other components. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(registryFlags, args),
  usage: () => flagSections(flagSectionList),
  run: ({ values }, ...rest) => run(values, ...rest),
});

async function run(
  flags: RegistryFlags,
  signal: AbortSignal,
  { connect }: InProcessAccess = {},
): Promise<void> {
  const { mode, port } = flags;
  if (mode === "server") return await serveRegistry({ flags, clock: systemClock, log }, signal);
  if (mode === "none") return await aborted(signal);
  if (mode !== "publisher") {
    throw new FlagError(
      `invalid argument "${mode}" for "--mode" flag: must be server, publisher or none`,
    );
  }
  await using transport = connect
    ? connect({ name: "k8ts:registry-publisher", groups: ["system:authenticated"] })
    : await openTransport(flags, agent);
  const client = new Client(transport, agent);
  if (flags.cleanup) return await withdrawHosting(client);
  await publishHosting({ client, clock: systemClock, log, port }, signal);
}
