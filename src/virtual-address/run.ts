import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { Client } from "#/client/client.ts";
import type { InProcessAccess } from "#/client/connect.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { componentCommand } from "#/component/component-command.ts";
import { runAsLeader } from "#/component/leader-election.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { FlagError, parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { parseIp } from "#/std/net/ip.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { flagSectionList, type VirtualAddressFlags, virtualAddressFlags } from "./flags.ts";
import { dropAddress, holdAddress } from "./hold-address.ts";

const log = logger("virtual-address");
const lease = { namespace: "kube-system", name: "k8ts-virtual-address" };

/** The command `virtual-address`, as a process or beside other components. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(virtualAddressFlags, args),
  usage: () => flagSections(flagSectionList),
  validate: ({ values }) => validate(values),
  run: ({ values }, ...rest) => run(values, ...rest),
});

function validate({ address }: VirtualAddressFlags): void {
  if (parseIp(address) === undefined) {
    throw new FlagError(`invalid argument "${address}" for "--address" flag: must be an address`);
  }
}

/** Holds the address while this candidate leads, until the signal aborts or the lease is lost. */
async function run(
  flags: VirtualAddressFlags,
  signal: AbortSignal,
  { connect }: InProcessAccess = {},
): Promise<void> {
  validate(flags);
  const { address } = flags;
  const options = {
    address,
    run: runProgram,
    clock: systemClock,
    log,
    setKernelValue: (path: string, value: string) => writeFile(join("/proc/sys", path), value),
  };
  // A process that was killed has left it here, and another server may have it by now.
  await dropAddress(options);
  await using transport = connect
    ? connect({ name: "system:k8ts-virtual-address", groups: ["system:authenticated"] })
    : await openTransport(flags);
  const election = {
    client: new Client(transport, { userAgent: userAgent("k8ts-virtual-address") }),
    lease,
    identity: `${flags["node-name"] || hostname()}_${randomUUID()}`,
    leaseDurationMs: flags["lease-duration"],
    renewDeadlineMs: flags["renew-deadline"],
    retryPeriodMs: flags["retry-period"],
  };
  await runAsLeader(election, (leading) => holdAddress(options, leading), signal);
}
