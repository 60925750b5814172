import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { Client } from "#/client/client.ts";
import type { InProcessAccess } from "#/client/connect.ts";
import { Informers } from "#/client/informers/informers.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { waitForKubeconfig } from "#/client/kubeconfig/wait-for-kubeconfig.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { componentCommand } from "#/component/component-command.ts";
import { resultChangesOf } from "#/std/cni/result-changes.ts";
import { flagSections } from "#/std/flags/flag-usage.ts";
import { FlagError, parseFlags } from "#/std/flags/flags.ts";
import { setKernelFile } from "#/std/kernel/kernel-changes.ts";
import { logger } from "#/std/log/log.ts";
import { followRemovals } from "#/std/netfilter/removals.ts";
import { type RunProgram, runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { keepAnnouncements, removeAnnouncements } from "./announcements.ts";
import { keepBalancerRoutes } from "./balancer-routes.ts";
import { flagSectionList, type NetworkFlags, networkFlags } from "./flags.ts";
import type { NetworkBackend } from "./plan-routes.ts";
import { PodNetwork } from "./pod-network.ts";
import { routeChangesOf } from "./route-changes.ts";
import { serveNetwork } from "./serve-network.ts";

const log = logger("network");
const agent = { userAgent: userAgent("k8ts-network") };

/** The command `network`, as a process or beside other components. */
export const { main, start, check } = componentCommand({
  parse: (args) => parseFlags(networkFlags, args),
  usage: () => flagSections(flagSectionList),
  run: ({ values }, ...rest) => run(values, ...rest),
});

/**
 * Maintains the pod network until the signal aborts, and leaves it in place then: pods continue.
 */
export async function run(
  flags: NetworkFlags,
  signal: AbortSignal,
  { connect, awaitsKubeconfig }: InProcessAccess = {},
): Promise<void> {
  const setKernelValue = (path: string, value: string) => setKernelFile(`/proc/sys/${path}`, value);
  const network = new PodNetwork({
    cniDir: flags["cni-conf-dir"],
    cniDataDir: flags["cni-data-dir"],
    bridge: flags.bridge,
    clusterCidrs: flags["cluster-cidr"],
    balancerCidrs: flags["load-balancer-cidr"],
    backend: backendOf(flags.backend),
    mtu: flags.mtu,
    vxlan: { id: flags["vxlan-id"], port: flags["vxlan-port"] },
    masquerade: flags["ip-masq"],
    antiSpoofing: flags["anti-spoofing"],
    run: runProgram,
    setKernelValue,
    getKernelValue: async (path) => readFileSync(`/proc/sys/${path}`, "utf8"),
    readProcNet: async (file) => readFileSync(`/proc/net/${file}`, "utf8"),
    log,
  });
  if (flags.cleanup || !flags["load-balancer-announce"]) await removeAnnouncements(runProgram);
  if (flags.cleanup) return network.remove();
  const nodeName = flags["node-name"] || hostname().toLowerCase();
  if (awaitsKubeconfig) await waitForKubeconfig(flags.kubeconfig, signal);
  await using transport = connect
    ? connect({ name: `system:node:${nodeName}`, groups: ["system:nodes"] })
    : await openTransport(flags, agent);
  const client = new Client(transport, agent);
  const followRoutes = routeChangesOf();
  const reports = { followRemovals, followRoutes, followPods: resultChangesOf() };
  const informers = new Informers(client, signal, { clock: systemClock });
  const options = { informers, nodeName, network, clock: systemClock, log, ...reports };
  const { bridge, "load-balancer-cidr": balancerCidrs } = flags;
  const announcing = { ...options, bridge, balancerCidrs, run: runProgram, setKernelValue };
  await Promise.all([
    serveNetwork(options, signal),
    keepRoutesAround(flags, informers, signal),
    ...(flags["load-balancer-announce"] ? [keepAnnouncements(announcing, signal)] : []),
  ]);
}

async function keepRoutesAround(
  flags: NetworkFlags,
  informers: Informers,
  signal: AbortSignal,
): Promise<void> {
  const netns = flags["load-balancer-routes-netns"];
  if (netns === "") return;
  const run: RunProgram = (program, args, input) =>
    runProgram("nsenter", [`--net=${netns}`, program, ...args], input);
  const balancerCidrs = flags["load-balancer-cidr"];
  const options = { informers, run, balancerCidrs, clock: systemClock, log };
  await keepBalancerRoutes(options, signal);
}

function backendOf(text: string): NetworkBackend {
  if (text === "auto" || text === "direct" || text === "vxlan") return text;
  throw new FlagError(
    `invalid argument "${text}" for "--backend" flag: must be auto, direct or vxlan`,
  );
}
