/** Upstream: pkg/kubelet/kubelet.go (Run). */
import type { Connect } from "#/client/connect.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { logger } from "#/std/log/log.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { clientRotation, rotateCertificate } from "../certificates/client-certificate.ts";
import { reconcileCpus } from "../cgroups/reconcile-cpus.ts";
import type { KubeletFlags } from "../config/flags.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { checkNodeResolvConf } from "../environment/check-node-resolv-conf.ts";
import { collectGarbage } from "../eviction/garbage-collection.ts";
import { followNode } from "../node/follow-node.ts";
import { runNodeLease } from "../node/node-lease.ts";
import { cleanUpPods } from "../pods/clean-up-pods.ts";
import { rotateLogs } from "../pods/log-rotation.ts";
import { followPods } from "../pods/pod-sources.ts";
import { KubeletMetrics } from "../server/kubelet-metrics.ts";
import { openServers } from "../server/open-servers.ts";
import { type Given, openParts } from "./assembly.ts";
import { openApiTransport, openClients } from "./connect.ts";
import { NoTransport } from "./no-transport.ts";
import { openMachine } from "./open-machine.ts";

const log = logger("kubelet");

interface KubeletOptions {
  readonly flags: KubeletFlags;
  readonly config: KubeletConfiguration;
  /** Connects to an API server in this process, instead of the one that the kubeconfig names. */
  readonly connect?: Connect | undefined;
  readonly clock?: Clock;
}

/** Runs until the signal aborts; rejects if it can't start or a part of it fails. */
export async function runKubelet(options: KubeletOptions, signal: AbortSignal): Promise<void> {
  const { flags, config, connect, clock = systemClock } = options;
  const machine = await openMachine({ flags, config, clock }, signal);
  using _cri = machine.cri;
  const { nodeName } = machine;
  const bootstrap = {
    kubeconfig: flags.kubeconfig,
    bootstrapKubeconfig: flags["bootstrap-kubeconfig"],
    certificateDirectory: flags["cert-dir"],
    nodeName,
    clock,
  };
  await using transport = await openApiTransport(connect, bootstrap, signal);
  const metrics = new KubeletMetrics(nodeName);
  const clients = openClients(
    { transport, config, metrics: metrics.registry, nodeName, clock },
    signal,
  );
  await using _steps = clients.steps;
  const isStandalone = transport instanceof NoTransport;
  const given: Given = { flags, config, clock, machine, metrics, isStandalone, ...clients };
  const parts = await openParts(given);
  using _reactions = connectParts(parts);
  await adoptWhatRuns(parts, signal);
  await using _servers = await serve(given, parts);
  log.info("Started kubelet", { node: nodeName });
  await checkNodeResolvConf({ config, nodeName, recorder: clients.recorder });
  using _objects = parts.storage.objects;
  using _node = followNode({
    ...{ nodeName, informers: clients.informers },
    ...{ runtime: machine.cri.runtime, pods: parts.running.pods },
  });
  const { client } = clients;
  const rotation = config.rotateCertificates ? clientRotation(client, bootstrap) : undefined;
  await untilAllEnd(signal, clock, [
    ...loops(given, parts, signal),
    rotation && rotateCertificate(rotation, signal),
  ]);
  parts.running.pods.close();
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/**
 * Wakes pods on changes of their containers, probes and API objects, and the node agent on changes of the node's state.
 */
function connectParts({ state, storage, running, agent }: Parts): Disposable {
  const { pods, probes } = running;
  const subscriptions = new DisposableStack();
  subscriptions.use(state.observed.subscribe((uid) => pods.wake(uid)));
  subscriptions.use(probes.subscribe(({ podUID }) => pods.wake(podUID)));
  subscriptions.use(
    storage.objects.subscribe((uids) => {
      for (const uid of uids) pods.wake(uid);
    }),
  );
  subscriptions.use(state.pressure.subscribe(() => agent.refresh()));
  subscriptions.use(state.shuttingDown.subscribe(() => agent.refresh()));
  subscriptions.use(state.inUse.subscribe(() => agent.refresh()));
  return subscriptions;
}

/** Adopts volumes, containers and user namespaces of an earlier kubelet, before the first pod is synced. */
async function adoptWhatRuns({ state, storage, running }: Parts, signal: AbortSignal) {
  storage.volumes.run(signal);
  await storage.volumes.adopt();
  await state.observed.relist();
  running.context.userNamespaces.adopt(state.observed.all());
}

function serve(given: Given, { state, stats }: Parts): Promise<AsyncDisposable> {
  const { flags, config, client, clock, metrics, machine } = given;
  const { nodeName, ips, facts, cri } = machine;
  return openServers({
    nodeName,
    ips,
    facts,
    cri,
    flags,
    config,
    client,
    clock,
    pods: state.view,
    metrics,
    stats,
    healthProblem: () => state.observed.problem(),
  });
}

/** The periodic work until the signal aborts. */
function loops(
  given: Given,
  parts: Parts,
  signal: AbortSignal,
): readonly (Promise<unknown> | undefined)[] {
  const { config, clock, machine, client, informers } = given;
  const { state, storage, running, reclaim } = parts;
  const { nodeName, cri, cgroups } = machine;
  const { node, table, observed } = state;
  const { context, pods, probes, mirrors, resizing } = running;
  const { crashBackoff } = context;
  const sources = {
    ...{ config, nodeName, pods, table, clock },
    informers: given.isStandalone ? undefined : informers,
  };
  const cleanUp = {
    ...{ pods, table, watch: observed, volumes: storage.volumes, cgroups },
    ...{ probes, mirrors, resizing, crashBackoff, clock },
  };
  const logs = {
    runtime: cri.runtime,
    watch: observed,
    clock,
    maxBytes: parseQuantity(config.containerLogMaxSize).value(),
    maxFiles: config.containerLogMaxFiles,
    everyMs: parseDuration(config.containerLogMonitorInterval),
  };
  const { cpus } = machine;
  const pinning = cpus && {
    ...{ cpus, runtime: cri.runtime, pods: state.view, clock },
    everyMs: parseDuration(config.cpuManagerReconcilePeriod),
  };
  const lease = { client, clock, node, durationSeconds: config.nodeLeaseDurationSeconds };
  return [
    observed.run(signal),
    state.runtime.run(signal),
    parts.agent.run(signal),
    reclaim.eviction.run(signal),
    reclaim.shutdown?.run(signal),
    collectGarbage(reclaim.garbage, signal),
    storage.csi.run(signal),
    runNodeLease(lease, signal),
    followPods(sources, signal).then(() => cleanUpPods(cleanUp, signal)),
    context.images.keepRecords(signal),
    rotateLogs(logs, signal),
    pinning && reconcileCpus(pinning, signal),
  ];
}

/** Limit of the work that is left after the signal (ms): containers keep running, and statuses are written again. */
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
