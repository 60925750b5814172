/** Upstream: pkg/kubelet/kubelet.go (Run). */
import type { Pod } from "#/api/core/v1.ts";
import { Client } from "#/client/client.ts";
import type { Surroundings } from "#/client/connect.ts";
import { recorder } from "#/client/events.ts";
import { Informers } from "#/client/informers.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import type { Transport } from "#/client/transport.ts";
import { type Clock, systemClock } from "#/std/clock.ts";
import { parseDuration } from "#/std/duration.ts";
import { logger } from "#/std/log.ts";
import {
  bootstrapKubeconfig,
  clientRotation,
  rotateCertificate,
} from "../certificates/client-certificate.ts";
import type { KubeletFlags } from "../config/flags.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { runNodeLease } from "../node/node-lease.ts";
import type { NodeState } from "../node/node-state.ts";
import { keepHouse } from "../pods/housekeeping.ts";
import { rotateLogs } from "../pods/log-rotation.ts";
import { PodObservation } from "../pods/observe-pod.ts";
import { recordPodEvents } from "../pods/record-events.ts";
import { RuntimeWatch } from "../pods/runtime-watch.ts";
import { KubeletMetrics } from "../server/kubelet-metrics.ts";
import { followNode } from "./follow-node.ts";
import { followPods } from "./follow-pods.ts";
import { NoTransport } from "./no-transport.ts";
import { type OpenedEviction, openEviction } from "./open-eviction.ts";
import { logBytes, type Machine, openMachine } from "./open-machine.ts";
import { type OpenedNode, openNode } from "./open-node.ts";
import { openPods } from "./open-pods.ts";
import { openServers } from "./open-server.ts";
import { type OpenedVolumes, openVolumes } from "./open-volumes.ts";

const log = logger("kubelet");
const userAgent = "kubelet/v1.37.1";

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
  const served = clients(options, transport, machine, signal);
  const base = { ...served, flags, config, machine, clock, metrics };
  const observation = new PodObservation(machine.cri.runtime);
  const watch = new RuntimeWatch(machine.cri.runtime, observation, clock);
  const runtimeProblem = (): string | undefined => problemOf(() => watch.checkHealth());
  const { node, state }: OpenedNode = openNode({
    ...base,
    volumesInUse: () => volumes.volumesInUse(),
    pressure: () => evicting.eviction.pressure,
    problems: () => [runtimeProblem()].filter((one) => one !== undefined),
  });
  const recursiveReadOnly = (pod: Pod): boolean => supportsRecursiveReadOnly(state, pod);
  const { volumes, objects, csi }: OpenedVolumes = openVolumes({
    ...base,
    node,
    events: recordPodEvents(base.recorder),
    recursiveReadOnly,
    podIPs: (uid) => watch.get(uid)?.ips ?? [],
  });
  const evicting: OpenedEviction = openEviction({
    ...base,
    node,
    events: recordPodEvents(base.recorder),
    pods: () => pods,
    stats: () => servers.stats,
  });
  const opened = openPods({
    ...base,
    watch,
    node,
    state,
    objects,
    volumes,
    recursiveReadOnly,
    admitters: [evicting.eviction],
  });
  const { pods, probes } = opened;
  watch.subscribe((uid) => pods.wake(uid));
  probes.subscribe(({ podUID }) => pods.wake(podUID));
  objects.subscribe((uids) => {
    for (const uid of uids) pods.wake(uid);
  });
  volumes.run(signal);
  await watch.relist();
  opened.context.userNamespaces.adopt(watch.all());
  await using servers = await openServers({
    ...base,
    pods,
    volumes,
    healthProblem: runtimeProblem,
  });
  log.info("Started kubelet", { node: machine.nodeName });
  const keep = { ...base, ...opened, watch, volumes, node, nodeName: machine.nodeName };
  using _node = followNode({ ...keep, runtime: machine.cri.runtime });
  await untilAllEnd(signal, clock, [
    watch.run(signal),
    state.run(signal),
    node.run(signal),
    evicting.run(signal),
    csi.run(signal),
    runNodeLease(
      { ...keep, durationSeconds: config.nodeLeaseDurationSeconds, node: () => node.find() },
      signal,
    ),
    followPods(keep, signal).then(() => keepHouse({ ...keep, cgroups: machine.cgroups }, signal)),
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
  return openTransport({ kubeconfig: flags.kubeconfig }, { userAgent });
}

/** Events have a limit of their own, so that many of them don't hold up the rest. */
function clients(
  { config, clock = systemClock }: KubeletOptions,
  transport: Transport,
  { nodeName }: Machine,
  signal: AbortSignal,
) {
  const { kubeAPIQPS, kubeAPIBurst, eventRecordQPS, eventBurst } = config;
  const client = new Client(transport, { userAgent, qps: kubeAPIQPS, burst: kubeAPIBurst });
  const forEvents = new Client(transport, { userAgent, qps: eventRecordQPS, burst: eventBurst });
  const source = { component: "kubelet", instance: nodeName, clock, signal };
  return {
    client,
    informers: new Informers(client, signal, { clock }),
    recorder: recorder(forEvents, source),
  };
}

function problemOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return `PLEG is not healthy: ${(error as Error).message}`;
  }
}

function supportsRecursiveReadOnly({ health }: NodeState, _pod: Pod): boolean {
  const handlers = health.status?.runtimeHandlers ?? [];
  return handlers.find(({ name }) => name === "")?.features?.recursiveReadOnlyMounts ?? false;
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
