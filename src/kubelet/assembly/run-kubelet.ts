/** Upstream: pkg/kubelet/kubelet.go (Run). */
import { nodes, type Pod } from "#/api/core/v1.ts";
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
import { initialNode } from "../node/initial-node.ts";
import { NodeAgent } from "../node/node-agent.ts";
import { runNodeLease } from "../node/node-lease.ts";
import { NodeState } from "../node/node-state.ts";
import { keepHouse } from "../pods/housekeeping.ts";
import { rotateLogs } from "../pods/log-rotation.ts";
import type { NodePods } from "../pods/node-pods.ts";
import { PodObservation } from "../pods/observe-pod.ts";
import { recordPodEvents } from "../pods/record-events.ts";
import { RuntimeWatch } from "../pods/runtime-watch.ts";
import { followStaticPodFiles } from "../pods/static-pod-files.ts";
import { logBytes, type Machine, openMachine } from "./open-machine.ts";
import { followApiPods, openPods } from "./open-pods.ts";
import { openServers } from "./open-server.ts";
import { openVolumes } from "./open-volumes.ts";

const log = logger("kubelet");

export interface KubeletOptions {
  readonly flags: KubeletFlags;
  readonly config: KubeletConfiguration;
  readonly around: Surroundings;
  readonly clock?: Clock;
}

const userAgent = "kubelet/v1.37.1";

/** Runs until the signal aborts; rejects if it can't start or a part of it dies. */
export async function runKubelet(options: KubeletOptions, signal: AbortSignal): Promise<void> {
  const { flags, config, clock = systemClock } = options;
  const machine = await openMachine({ flags, config, clock }, signal);
  using _cri = machine.cri;
  const bootstrap = {
    kubeconfig: flags.kubeconfig,
    bootstrapKubeconfig: flags["bootstrap-kubeconfig"],
    certificateDirectory: flags["cert-dir"],
    nodeName: machine.nodeName,
    clock,
  };
  if (!options.around.connect) await bootstrapKubeconfig(bootstrap, signal);
  await using transport = await openClientTransport(options, machine);
  const { kubeAPIQPS: qps, kubeAPIBurst: burst } = config;
  const client = new Client(transport, { userAgent, qps, burst });
  const informers = new Informers(client, signal, { clock });
  const eventClient = new Client(transport, {
    userAgent,
    qps: config.eventRecordQPS,
    burst: config.eventBurst,
  });
  const events = recorder(eventClient, {
    component: "kubelet",
    instance: machine.nodeName,
    clock,
    signal,
  });
  const observation = new PodObservation(machine.cri.runtime);
  const watch = new RuntimeWatch(machine.cri.runtime, observation, clock);
  const { node, state } = openNode(options, machine, { client, informers, events, watch, clock });
  const recursiveReadOnly = (pod: Pod): boolean => supportsRecursiveReadOnly(state, pod);
  const { volumes, objects } = openVolumes({
    machine,
    client,
    clock,
    node,
    events: recordPodEvents(events),
    recursiveReadOnly,
    podIPs: (uid) => watch.get(uid)?.ips ?? [],
  });
  const { pods, probes, mirrors } = openPods({
    machine,
    config,
    client,
    informers,
    recorder: events,
    clock,
    watch,
    node,
    state,
    objects,
    volumes,
    recursiveReadOnly,
    admitters: [],
  });
  watch.subscribe((uid) => pods.wake(uid));
  probes.subscribe(({ podUID }) => pods.wake(podUID));
  volumes.run(signal);
  await watch.relist();
  await using _servers = await openServers({
    machine,
    config,
    client,
    clock,
    pods,
    healthProblem: () => problemsOf(() => watch.checkHealth())[0],
  });
  const durationSeconds = config.nodeLeaseDurationSeconds;
  log.info("Started kubelet", { node: machine.nodeName });
  await untilOneEnds(signal, [
    watch.run(signal),
    node.run(signal),
    config.rotateCertificates
      ? rotateCertificate(clientRotation(client, bootstrap), signal)
      : Promise.resolve(),
    runNodeLease(
      { client, clock, nodeName: machine.nodeName, durationSeconds, node: () => node.find() },
      signal,
    ),
    followPods(options, machine, { informers, pods, node, clock }, signal).then(() =>
      keepHouse({ pods, watch, volumes, cgroups: machine.cgroups, probes, mirrors, clock }, signal),
    ),
    rotateLogs(
      {
        runtime: machine.cri.runtime,
        watch,
        clock,
        maxBytes: logBytes(config),
        maxFiles: config.containerLogMaxFiles,
        everyMs: parseDuration(config.containerLogMonitorInterval),
      },
      signal,
    ),
  ]);
  pods.close();
}

/** Resolves when all have ended after the signal; rejects as soon as one fails. */
async function untilOneEnds(
  signal: AbortSignal,
  parts: readonly Promise<unknown>[],
): Promise<void> {
  const guarded = parts.map((part) =>
    part.catch((error) => {
      if (!signal.aborted) throw error;
    }),
  );
  await Promise.all(guarded);
}

async function openClientTransport(
  { flags, around }: KubeletOptions,
  { nodeName }: Machine,
): Promise<Transport> {
  if (around.connect) {
    const groups = ["system:nodes", "system:authenticated"];
    return around.connect({ name: `system:node:${nodeName}`, groups });
  }
  return openTransport({ kubeconfig: flags.kubeconfig }, { userAgent });
}

interface NodeParts {
  readonly client: Client;
  readonly informers: Informers;
  readonly events: ReturnType<typeof recorder>;
  readonly watch: RuntimeWatch;
  readonly clock: Clock;
}

function openNode(
  { flags, config }: KubeletOptions,
  machine: Machine,
  { client, informers, events, watch, clock }: NodeParts,
): { node: NodeAgent; state: NodeState } {
  const { nodeName, facts, ips } = machine;
  const externalCloudProvider = flags["cloud-provider"] === "external";
  const state = new NodeState({
    cri: machine.cri,
    clock,
    facts,
    capacity: machine.capacity,
    rootDirectory: machine.directories.root,
    ips,
    hostname: nodeName,
    externalCloudProvider,
    kubeletVersion: "v1.37.1",
    kubeletPort: config.port,
    maxImages: config.nodeStatusMaxImages,
    declaredFeatures: [],
    volumesInUse: () => [],
    pressure: () => ({ memory: false, disk: false, pid: false }),
    problems: () => problemsOf(() => watch.checkHealth()),
  });
  const node = new NodeAgent({
    client,
    clock,
    recorder: events,
    informer: informers.informer(nodes, { fieldSelector: `metadata.name=${nodeName}` }),
    initial: initialNode({
      name: nodeName,
      hostname: nodeName,
      architecture: facts.architecture,
      labels: flags["node-labels"],
      taints: config.registerWithTaints ?? [],
      providerID: config.providerID ?? "",
      externalCloudProvider,
      enableControllerAttachDetach: config.enableControllerAttachDetach,
    }),
    register: config.registerNode,
    updateMs: parseDuration(config.nodeStatusUpdateFrequency),
    reportMs: parseDuration(config.nodeStatusReportFrequency),
    ips,
    current: () => state.current(),
  });
  return { node, state };
}

function problemsOf(check: () => void): string[] {
  try {
    check();
    return [];
  } catch (error) {
    return [`PLEG is not healthy: ${(error as Error).message}`];
  }
}

function supportsRecursiveReadOnly({ health }: NodeState, _pod: Pod): boolean {
  const handlers = health.status?.runtimeHandlers ?? [];
  return handlers.find(({ name }) => name === "")?.features?.recursiveReadOnlyMounts ?? false;
}

async function followPods(
  { config }: KubeletOptions,
  { nodeName }: Machine,
  parts: { informers: Informers; pods: NodePods; node: NodeAgent; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  const { informers, pods, clock } = parts;
  const path = config.staticPodPath;
  if (path) {
    const first = Promise.withResolvers<void>();
    let known: readonly Pod[] = [];
    const changed = (now: readonly Pod[]): void => {
      const uids = new Set(now.map(({ metadata }) => metadata.uid));
      for (const pod of known) if (!uids.has(pod.metadata.uid)) pods.delete(pod);
      for (const pod of now) if (!pods.isWanted(pod.metadata.uid ?? "")) pods.set(pod);
      known = now;
      first.resolve();
    };
    const everyMs = parseDuration(config.fileCheckFrequency);
    void followStaticPodFiles({ path, nodeName, clock, everyMs, changed }, signal);
    await first.promise;
  }
  await informers.synced();
  await followApiPods(informers, nodeName, pods);
}
