/**
 * Creates the parts of a kubelet, from top to bottom: each part is created from parts above it. State comes first;
 * parts that influence each other share it instead of referring to each other: eviction sets the pressure, admission
 * and the node's status read it. Nothing runs yet; see run-kubelet.ts.
 *
 * Upstream: pkg/kubelet/kubelet.go (NewMainKubelet).
 */
import { join } from "node:path";
import { nodes } from "#/api/core/v1.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { Mounter } from "#/std/mounts/mounter.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { KubeletFlags } from "../config/flags.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { openCsi } from "../csi/open-csi.ts";
import { containerPolicy } from "../eviction/container-collection.ts";
import { imagePolicy } from "../eviction/image-collection.ts";
import { ImageCollector } from "../eviction/image-collector.ts";
import { localUsage } from "../eviction/local-usage.ts";
import { NodeEviction } from "../eviction/node-eviction.ts";
import { observeNode } from "../eviction/node-signals.ts";
import { initialNode } from "../node/initial-node.ts";
import { givenNodeIPs } from "../node/node-addresses.ts";
import { NodeEvents } from "../node/node-events.ts";
import { shutdownProblem } from "../node/node-shutdown.ts";
import { openNodeAgent } from "../node/open-node-agent.ts";
import { openNodeShutdown } from "../node/open-node-shutdown.ts";
import { RuntimeCheck } from "../node/runtime-check.ts";
import { networkProblem, supportsRecursiveReadOnly } from "../node/runtime-health.ts";
import { PodAdmission } from "../pods/admission/pod-admission.ts";
import { collectContainers } from "../pods/collect-containers.ts";
import { NodePods } from "../pods/node-pods.ts";
import { PodObservation } from "../pods/observe-pod.ts";
import { openRuntimeContext } from "../pods/open-runtime-context.ts";
import { PodLifecycle } from "../pods/pod-lifecycle.ts";
import { PodResizing } from "../pods/pod-resizing.ts";
import type { PodWorker } from "../pods/pod-worker.ts";
import { recordPodEvents } from "../pods/record-events.ts";
import { RuntimeWatch } from "../pods/runtime-watch.ts";
import { MirrorPods } from "../pods/static/mirror-pods.ts";
import { PodProbes } from "../probes/pod-probes.ts";
import { ProbeRunner } from "../probes/run-probe.ts";
import type { KubeletMetrics } from "../server/kubelet-metrics.ts";
import { NodeRecord } from "../state/node-record.ts";
import type { EvictPod } from "../state/pod-services.ts";
import { PodSteps } from "../state/pod-steps.ts";
import { PodTable } from "../state/pod-table.ts";
import { PodView } from "../state/pod-view.ts";
import { noPressure } from "../state/pressure.ts";
import { StoredValue } from "../state/stored-value.ts";
import { VolumesInUse } from "../state/volumes-in-use.ts";
import { DiskUsage } from "../stats/disk-usage.ts";
import { openStats } from "../stats/open-stats.ts";
import type { StatsProvider } from "../stats/stats-summary.ts";
import { StatusWriter } from "../status/status-writer.ts";
import { NodeVolumes } from "../volumes/node-volumes.ts";
import { volumePlugins } from "../volumes/plugins/index.ts";
import { PodCertificates } from "../volumes/pod-certificates.ts";
import { ReferencedObjects } from "../volumes/referenced-objects.ts";
import { ServiceAccountTokens } from "../volumes/service-account-tokens.ts";
import { noswapSupport } from "../volumes/tmpfs-noswap.ts";
import { TrustBundles } from "../volumes/trust-bundles.ts";
import { volumeContents } from "../volumes/volume-contents.ts";
import type { Clients } from "./connect.ts";
import type { Machine } from "./open-machine.ts";

/** The input of the first parts. */
export interface Given extends Clients {
  readonly flags: KubeletFlags;
  readonly config: KubeletConfiguration;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly metrics: KubeletMetrics;
  /** Without an API server: only static Pods run. */
  readonly isStandalone: boolean;
}

function isExternalCloudProvider(flags: KubeletFlags): boolean {
  return flags["cloud-provider"] === "external";
}

/** The shared state: desired, observed and reported pods, and the Node. */
function openState(given: Given) {
  const { flags, config, clock, machine, client, informers, recorder } = given;
  const { nodeName: name, facts, ips, cri } = machine;
  const informer = informers.informer(nodes, { fieldSelector: `metadata.name=${name}` });
  const initial = initialNode({
    name,
    hostname: name,
    architecture: facts.architecture,
    labels: flags["node-labels"],
    taints: config.registerWithTaints ?? [],
    providerID: config.providerID ?? "",
    externalCloudProvider: isExternalCloudProvider(flags),
    givenIps: givenNodeIPs(flags["node-ip"]),
    enableControllerAttachDetach: config.enableControllerAttachDetach,
  });
  const node = new NodeRecord({ informer, initial, ips });
  const nodeEvents = new NodeEvents(recorder, node);
  const steps = new PodSteps(given.steps);
  const podEvents = recordPodEvents(recorder, steps);
  const pressure = new StoredValue(noPressure);
  const shuttingDown = new StoredValue(false);
  const inUse = new VolumesInUse();
  const runtime = new RuntimeCheck(cri.runtime, clock);
  const observed = new RuntimeWatch(cri.runtime, new PodObservation(cri.runtime), clock);
  const table = new PodTable<PodWorker>();
  const statuses = new StatusWriter({ client, clock, table, steps });
  const view = new PodView({ table, statuses, observed });
  return {
    node,
    nodeEvents,
    podEvents,
    steps,
    pressure,
    shuttingDown,
    inUse,
    runtime,
    observed,
    table,
    statuses,
    view,
  };
}

type State = ReturnType<typeof openState>;

/** The volumes of pods, and the API objects of their content. */
function openVolumes({ clock, machine, client, informers }: Given, state: State) {
  const { node, podEvents: events, observed, runtime, inUse } = state;
  const { directories, facts } = machine;
  const mounter = new Mounter();
  const objects = new ReferencedObjects(client, clock);
  const tokens = new ServiceAccountTokens(client, clock);
  const bundles = new TrustBundles(informers, clock);
  const certificates = new PodCertificates({ client, informers, clock, node, events });
  const contents = volumeContents({ objects, tokens, bundles, certificates, node, observed });
  const csi = openCsi({
    client,
    clock,
    node,
    inUse,
    directories,
    mounter,
    events,
    objects,
    tokens,
  });
  const plugins = volumePlugins({
    client,
    clock,
    directories,
    mounter,
    contents,
    csi: csi.volumes,
    allocatableMemoryBytes: facts.memoryBytes,
    supportsNoswap: noswapSupport({
      mounter,
      kernelVersion: facts.kernelVersion,
      directory: join(directories.plugins, "kubernetes.io/empty-dir"),
    }),
  });
  const volumes = new NodeVolumes({
    clock,
    directories,
    mounter,
    plugins,
    events,
    inUse,
    objects,
    bundles,
    tokens,
    certificates,
    supportsRecursiveReadOnly: () => supportsRecursiveReadOnly(runtime.health),
  });
  return { objects, csi, volumes };
}

type Volumes = ReturnType<typeof openVolumes>;

/** The workers of pods, with their probes. */
function openPods(given: Given, state: State, { objects, volumes }: Volumes) {
  const { config, clock, machine, client, informers, metrics } = given;
  const { node, podEvents: events, steps, observed, runtime, table, statuses } = state;
  const { cri, directories, cgroups, cpus, runtimeName } = machine;
  const context = openRuntimeContext({
    config,
    clock,
    cri,
    directories,
    cgroups,
    informers,
    node,
    events,
    steps,
    warnNode: (reason, message) => state.nodeEvents.record("Warning", reason, message),
    objects,
    volumes,
    runtimeHandlers: () => runtime.health.status?.runtimeHandlers ?? [],
  });
  const runner = new ProbeRunner(cri.runtime, clock);
  const probes = new PodProbes({
    clock,
    statuses,
    runner,
    events,
    observe: (kind, target, result, seconds) => {
      metrics.observeProbe(kind, target, result, seconds);
      steps.probed(target.pod, target.container.name, kind, result, seconds);
    },
    forget: metrics.forgetProbe,
  });
  const mirrors = new MirrorPods(client, node);
  const resizing = new PodResizing({ context, cgroups, watch: observed, node });
  const work = new PodLifecycle({
    context,
    watch: observed,
    statuses,
    probes,
    node,
    volumes,
    environment: context.environment,
    cgroups,
    runtimeName,
    networkProblem: () => networkProblem(runtime.health),
    recursiveReadOnly: () => supportsRecursiveReadOnly(runtime.health),
    ensureMirror: (pod) => mirrors.ensure(pod, table.mirrorOf(pod)),
    resize: resizing,
  });
  const admission = new PodAdmission({
    node,
    allowedUnsafeSysctls: config.allowedUnsafeSysctls ?? [],
    shuttingDown: state.shuttingDown,
    pressure: state.pressure,
    cpus,
  });
  const pods = new NodePods({
    work,
    clock,
    table,
    observed,
    statuses,
    events,
    admission,
    resizing,
    mirrors,
  });
  return { context, probes, mirrors, resizing, pods };
}

/** Eviction and garbage collection. */
function openEviction(
  given: Given,
  state: State,
  { stats, disk }: { readonly stats: StatsProvider; readonly disk: DiskUsage },
  evict: EvictPod,
) {
  const { flags, config, clock, machine } = given;
  const { nodeEvents, podEvents, view, pressure, shuttingDown } = state;
  const { cri, facts, directories } = machine;
  const rootDirectory = directories.root;
  const policy = containerPolicy(flags);
  const collectDeadContainers = () =>
    collectContainers({ cri, clock, directories, pods: view, policy });
  const images = new ImageCollector({
    cri,
    clock,
    pods: view,
    rootDirectory,
    policy: imagePolicy(config),
    events: nodeEvents,
  });
  const activePods = () => view.unfinished();
  const eviction = new NodeEviction({
    clock,
    pressure,
    thresholds: machine.capacity.thresholds,
    transitionMs: parseDuration(config.evictionPressureTransitionPeriod),
    maxGracePeriodSeconds: config.evictionMaxPodGracePeriod ?? 0,
    observe: () => observeNode({ facts, rootDirectory, stats }),
    podStats: () => stats.pods(),
    localUsage: (pod, own) => localUsage({ directories, disk }, pod, own),
    activePods,
    async reclaim() {
      await collectDeadContainers();
      await images.removeUnused();
    },
    evict,
    nodeEvents,
    podEvents,
  });
  const shutdown = openNodeShutdown({ config, clock, evict, shuttingDown, activePods });
  return {
    eviction,
    shutdown,
    garbage: {
      clock,
      events: nodeEvents,
      collectContainers: collectDeadContainers,
      collectImages: () => images.collect(),
      detectImages: () => images.detect(),
    },
  };
}

/** All parts, in the order of their creation. */
export async function openParts(given: Given) {
  const { flags, config, clock, machine, client } = given;
  const { cri, nodeName, facts, capacity, cgroups } = machine;
  const rootDirectory = machine.directories.root;
  const state = openState(given);
  const { node, nodeEvents, pressure, shuttingDown, inUse, runtime, observed, view } = state;
  const storage = openVolumes(given, state);
  const { volumes } = storage;
  const running = openPods(given, state, storage);
  const disk = new DiskUsage({ clock });
  const stats = await openStats({
    cri,
    clock,
    nodeName,
    rootDirectory,
    config,
    cgroups,
    volumes,
    pods: view,
    disk,
  });
  const reclaim = openEviction(given, state, { stats, disk }, running.pods.evict);
  const agent = openNodeAgent({
    config,
    client,
    clock,
    facts,
    capacity,
    rootDirectory,
    externalCloudProvider: isExternalCloudProvider(flags),
    isIpGiven: flags["node-ip"] !== "",
    images: cri.images,
    node,
    events: nodeEvents,
    runtime,
    inUse,
    pressure,
    problems: () =>
      [observed.problem(), shutdownProblem(shuttingDown.value)].filter((one) => one !== undefined),
  });
  return { state, storage, running, stats, reclaim, agent };
}
