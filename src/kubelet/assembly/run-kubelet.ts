/** Upstream: pkg/kubelet/kubelet.go (Run). */

import { Client } from "#/client/client.ts";
import { clientMetrics } from "#/client/client-metrics.ts";
import type { Surroundings } from "#/client/connect.ts";
import { recorder } from "#/client/events/events.ts";
import { Informers } from "#/client/informers/informers.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { logger } from "#/std/log/log.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import {
  bootstrapKubeconfig,
  clientRotation,
  rotateCertificate,
} from "../certificates/client-certificate.ts";
import { shareCpus } from "../cgroups/share-cpus.ts";
import type { KubeletFlags } from "../config/flags.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { checkNodeResolvConf } from "../environment/check-node-resolv-conf.ts";
import { followNode } from "../node/follow-node.ts";
import { runNodeLease } from "../node/node-lease.ts";
import { cleanUpPods } from "../pods/clean-up-pods.ts";
import { rotateLogs } from "../pods/log-rotation.ts";
import { followPods } from "../pods/pod-sources.ts";
import type { RuntimeWatch } from "../pods/runtime-watch.ts";
import { KubeletMetrics } from "../server/kubelet-metrics.ts";
import { NoTransport } from "./no-transport.ts";
import { logBytes, type Machine, openMachine } from "./open-machine.ts";
import { openParts, runtimeProblem, wakePods } from "./open-parts.ts";
import { openServers } from "./open-server.ts";

const log = logger("kubelet");
const agent = { userAgent: userAgent("kubelet") };

export interface KubeletOptions {
  readonly flags: KubeletFlags;
  readonly config: KubeletConfiguration;
  readonly around: Surroundings;
  readonly clock?: Clock;
}

/** Runs until the signal aborts; rejects if it can't start or a part of it dies. */
export async function runKubelet(options: KubeletOptions, signal: AbortSignal): Promise<void> {
  const { flags, config, clock = systemClock } = options;
  const machine = await openMachine({ flags, config, clock }, signal);
  using _cri = machine.cri;
  await using transport = await connect(options, machine, signal);
  const metrics = new KubeletMetrics(machine.nodeName);
  const served = clients(options, { transport, metrics }, machine, signal);
  const base = { ...served, flags, config, machine, clock, metrics };
  const parts = openParts({ ...base, stats: () => servers.stats });
  const { watch, node, volumes, pods } = parts;
  using _wakes = wakePods(parts);
  volumes.run(signal);
  await volumes.adopt();
  await watch.relist();
  parts.context.userNamespaces.adopt(watch.all());
  await using servers = await openServers({
    ...base,
    pods,
    volumes,
    healthProblem: () => runtimeProblem(watch),
  });
  log.info("Started kubelet", { node: machine.nodeName });
  const keep = { ...base, ...parts, nodeName: machine.nodeName };
  await checkNodeResolvConf(keep);
  const { runtime } = machine.cri;
  using _objects = parts.objects;
  using _node = followNode({ ...keep, runtime });
  using _cpus = machine.cpus && shareCpus({ cpus: machine.cpus, runtime, pods });
  await untilAllEnd(signal, clock, [
    watch.run(signal),
    parts.state.run(signal),
    node.run(signal),
    parts.evicting.run(signal),
    parts.csi.run(signal),
    runNodeLease(
      { ...keep, durationSeconds: config.nodeLeaseDurationSeconds, node: () => node.find() },
      signal,
    ),
    followPods(keep, signal).then(() => cleanUpPods({ ...keep, cgroups: machine.cgroups }, signal)),
    parts.context.images.keepRecords(signal),
    rotateLogs(rotation(machine, config, watch, clock), signal),
    config.rotateCertificates
      ? rotateCertificate(clientRotation(base.client, bootstrap(options, machine)), signal)
      : undefined,
  ]);
  pods.close();
}

/** What is left to do after the signal gets no longer than this: containers run on, and statuses come again. */
const shutdownMs = 3_000;

/** Resolves when all have ended after the signal; rejects as soon as one fails before. */
async function untilAllEnd(
  signal: AbortSignal,
  clock: Clock,
  parts: readonly (Promise<unknown> | undefined)[],
): Promise<void> {
  const guarded = parts.map((part) =>
    part?.catch((error) => {
      if (!signal.aborted) throw error;
    }),
  );
  const over = new Promise<void>((resolve) => {
    const wait = (): void => void clock.setTimer(shutdownMs, resolve, { keepAlive: false });
    if (signal.aborted) wait();
    else signal.addEventListener("abort", wait, { once: true });
  });
  await Promise.race([Promise.all(guarded), over]);
}

function bootstrap({ flags, clock = systemClock }: KubeletOptions, { nodeName }: Machine) {
  return {
    kubeconfig: flags.kubeconfig,
    bootstrapKubeconfig: flags["bootstrap-kubeconfig"],
    certificateDirectory: flags["cert-dir"],
    nodeName,
    clock,
  };
}

async function connect(
  options: KubeletOptions,
  machine: Machine,
  signal: AbortSignal,
): Promise<Transport> {
  const { flags, around } = options;
  if (around.connect) {
    const groups = ["system:nodes", "system:authenticated"];
    return around.connect({ name: `system:node:${machine.nodeName}`, groups });
  }
  await bootstrapKubeconfig(bootstrap(options, machine), signal);
  if (flags.kubeconfig === "") return new NoTransport();
  return openTransport({ kubeconfig: flags.kubeconfig }, agent);
}

/** Events have a limit of their own, so that many of them don't hold up the rest. */
function clients(
  { config, clock = systemClock }: KubeletOptions,
  { transport, metrics }: { readonly transport: Transport; readonly metrics: KubeletMetrics },
  { nodeName }: Machine,
  signal: AbortSignal,
) {
  const { kubeAPIQPS, kubeAPIBurst, eventRecordQPS, eventBurst } = config;
  const common = { ...agent, metrics: clientMetrics(metrics.registry) };
  const client = new Client(transport, { ...common, qps: kubeAPIQPS, burst: kubeAPIBurst });
  const forEvents = new Client(transport, { ...common, qps: eventRecordQPS, burst: eventBurst });
  const source = { component: "kubelet", instance: nodeName, clock, signal };
  return {
    client,
    informers: new Informers(client, signal, { clock }),
    recorder: recorder(forEvents, source),
  };
}

function rotation(
  { cri }: Machine,
  config: KubeletConfiguration,
  watch: RuntimeWatch,
  clock: Clock,
) {
  return {
    runtime: cri.runtime,
    watch,
    clock,
    maxBytes: logBytes(config),
    maxFiles: config.containerLogMaxFiles,
    everyMs: parseDuration(config.containerLogMonitorInterval),
  };
}
