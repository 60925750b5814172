import { readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { Client } from "#/client/client.ts";
import type { Surroundings } from "#/client/connect.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { waitForKubeconfig } from "#/client/kubeconfig/wait-for-kubeconfig.ts";
import { systemClock } from "#/std/clock.ts";
import { flagSections } from "#/std/flag-usage.ts";
import { FlagError, parseFlags } from "#/std/flags.ts";
import { logger } from "#/std/log.ts";
import { applyLogFlags } from "#/std/log-flags.ts";
import { runProgram } from "#/std/run-program.ts";
import { runUntilSignal } from "#/std/shutdown.ts";
import { flagSectionList, type NetworkFlags, networkFlags } from "./flags.ts";
import type { NetworkBackend } from "./plan-routes.ts";
import { PodNetwork } from "./pod-network.ts";
import { serveNetwork } from "./serve-network.ts";

const log = logger("network");
const userAgent = "k8ts-network/v1.37";

/** The command `network`; returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, help, warnings } = parseFlags(networkFlags, args);
    if (help) {
      process.stdout.write(flagSections(flagSectionList));
      return 0;
    }
    for (const warning of warnings) process.stderr.write(`${warning}\n`);
    applyLogFlags(values);
    return await runUntilSignal((signal) => run(values, signal));
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`Error: ${error.message}\n`);
    return 1;
  }
}

/** As run(), with a command line. */
export async function start(
  args: readonly string[],
  signal: AbortSignal,
  around: Surroundings = {},
): Promise<void> {
  await run(parseFlags(networkFlags, args).values, signal, around);
}

/** Keeps the pod network until the signal aborts, and leaves it as it is then: pods go on. */
export async function run(
  flags: NetworkFlags,
  signal: AbortSignal,
  { connect }: Surroundings = {},
): Promise<void> {
  const network = new PodNetwork({
    cniDir: flags["cni-conf-dir"],
    bridge: flags.bridge,
    clusterCidrs: flags["cluster-cidr"],
    backend: backendOf(flags.backend),
    mtu: flags.mtu,
    vxlan: { id: flags["vxlan-id"], port: flags["vxlan-port"] },
    masquerade: flags["ip-masq"],
    run: runProgram,
    setKernelValue,
    log,
  });
  if (flags.cleanup) return network.remove();
  const nodeName = flags["node-name"] || hostname().toLowerCase();
  if (!connect) await waitForKubeconfig(flags.kubeconfig, signal);
  await using transport = connect
    ? connect({ name: `system:node:${nodeName}`, groups: ["system:nodes"] })
    : await openTransport(flags, { userAgent });
  const client = new Client(transport, { userAgent });
  await serveNetwork({ client, nodeName, network, clock: systemClock, log }, signal);
}

async function setKernelValue(path: string, value: string): Promise<void> {
  const file = `/proc/sys/${path}`;
  if ((await readFile(file, "utf8")).trim() !== value) await writeFile(file, value);
}

function backendOf(text: string): NetworkBackend {
  if (text === "auto" || text === "direct" || text === "vxlan") return text;
  throw new FlagError(
    `invalid argument "${text}" for "--backend" flag: must be auto, direct or vxlan`,
  );
}
