import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { Client } from "#/client/client.ts";
import type { InProcessAccess } from "#/client/connect.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { waitForKubeconfig } from "#/client/kubeconfig/wait-for-kubeconfig.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { componentCommand } from "#/component/component-command.ts";
import { aborted } from "#/std/async/aborted.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { FlagError, parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { trustOf } from "#/std/tls/trust.ts";
import { TrustingAgent } from "#/std/tls/trusting-agent.ts";
import { Balancer } from "./balancer.ts";
import { checkServer } from "./check-server.ts";
import { type BalancerFlags, balancerFlags, flagSectionList } from "./flags.ts";
import { followServers } from "./follow-servers.ts";
import { mergeServers, readServers, serversWithOwn, writeServers } from "./known-servers.ts";
import { watchHealth } from "./watch-health.ts";

const log = logger("balancer");

/** The command `balancer`, as a process or beside other components. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(balancerFlags, args),
  usage: () => flagSections(flagSectionList),
  validate: ({ values }) => validate(values),
  run: ({ values }, ...rest) => run(values, ...rest),
});

function validate(flags: BalancerFlags): void {
  for (const address of [...flags.server, flags["own-server"]].filter(Boolean)) {
    if (URL.parse(address)?.protocol !== "https:")
      throw new FlagError(`"${address}" is no address such as https://192.0.2.10:6443`);
  }
}

/** Leads connections to servers until the signal aborts. */
async function run(
  flags: BalancerFlags,
  signal: AbortSignal,
  { awaitsKubeconfig = false }: InProcessAccess = {},
): Promise<void> {
  validate(flags);
  const own = flags["own-server"] || undefined;
  const balancer = new Balancer({ clock: systemClock, log, own });
  const file = flags["servers-file"];
  let known = await readServers(file);
  const use = (): void => {
    const addresses = [...known.map(({ address }) => address), ...flags.server];
    balancer.setServers(serversWithOwn(addresses, own, machineIps()));
  };
  use();
  const trust = trustOf(await readFile(flags["certificate-authority"], "utf8"));
  using agent = new CheckAgent(trust);
  const server = balancer.listen().listen(flags.port, flags["bind-address"]);
  await once(server, "listening");
  using _closing = {
    [Symbol.dispose]() {
      server.close();
      balancer.close();
    },
  };
  const ask: Parameters<typeof watchHealth>[1] = (address, options) =>
    checkServer(agent, address, options);
  const learn = async (present: readonly string[]): Promise<void> => {
    known = mergeServers(known, present, systemClock.now());
    use();
    await writeServers(file, known);
  };
  const following = follow(flags, awaitsKubeconfig, learn, signal);
  await Promise.all([watchHealth(balancer, ask, systemClock, signal), following, aborted(signal)]);
}

const machineIps = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));

async function follow(
  flags: BalancerFlags,
  awaitsKubeconfig: boolean,
  learn: (present: readonly string[]) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (awaitsKubeconfig) await waitForKubeconfig(flags.kubeconfig, signal);
  if (flags.kubeconfig === "") return;
  await using transport = await openTransport(flags);
  const client = new Client(transport, { userAgent: userAgent("k8ts-balancer") });
  await followServers({ client, learn, log }, signal);
}

/** Keeps one connection per server, so that a check costs no handshake. */
class CheckAgent extends TrustingAgent implements Disposable {
  constructor(trust: ReturnType<typeof trustOf>) {
    super({ trust, keepAlive: true, maxSockets: 2, maxFreeSockets: 1 });
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}
