import { type Pod, services } from "#/api/core/v1.ts";
import { runtimeClasses } from "#/api/node/v1.ts";
import type { Client } from "#/client/client.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { parseDuration } from "#/std/go/duration.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { PodEnvironment } from "../environment/pod-environment.ts";
import { BackoffTable } from "../images/backoff-table.ts";
import { ImagePuller } from "../images/image-puller.ts";
import { PullRecords, type VerificationPolicy } from "../images/pull-records.ts";
import type { NodeAgent } from "../node/node-agent.ts";
import type { NodeState } from "../node/node-state.ts";
import { admitAppArmor, isAppArmorEnabled } from "../pods/admission/apparmor-admission.ts";
import { admitToNode, resourceShortages } from "../pods/admission/node-admission.ts";
import { isCriticalPod, podsToPreempt } from "../pods/admission/preemption.ts";
import { admitSysctls } from "../pods/admission/sysctl-admission.ts";
import { NodePods } from "../pods/node-pods.ts";
import { PodLifecycle } from "../pods/pod-lifecycle.ts";
import { PodResizing } from "../pods/pod-resizing.ts";
import { recordPodEvents } from "../pods/record-events.ts";
import type { RuntimeContext } from "../pods/runtime-context.ts";
import type { RuntimeWatch } from "../pods/runtime-watch.ts";
import { MirrorPods } from "../pods/static/mirror-pods.ts";
import { isStaticPod } from "../pods/static/static-pods.ts";
import { UserNamespaces } from "../pods/user-namespaces.ts";
import { PodProbes } from "../probes/pod-probes.ts";
import { ProbeRunner } from "../probes/run-probe.ts";
import type { KubeletMetrics } from "../server/kubelet-metrics.ts";
import type { Admission, PodAdmitter } from "../state/pod-services.ts";
import { StatusWriter } from "../status/status-writer.ts";
import type { NodeVolumes } from "../volumes/node-volumes.ts";
import { readVolumeFile } from "../volumes/read-volume-file.ts";
import type { ReferencedObjects } from "../volumes/referenced-objects.ts";
import type { Machine } from "./open-machine.ts";

const initialRestartMs = 10_000;

export interface PodParts {
  readonly machine: Machine;
  readonly config: KubeletConfiguration;
  readonly client: Client | undefined;
  readonly informers: Informers;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly watch: RuntimeWatch;
  readonly node: NodeAgent;
  readonly state: NodeState;
  readonly objects: ReferencedObjects;
  readonly volumes: NodeVolumes;
  readonly metrics: KubeletMetrics;
  /** Asked before a pod starts, after the node's own checks. */
  readonly admitters: readonly PodAdmitter[];
  recursiveReadOnly(pod: Pod): boolean;
}

export interface OpenedPods {
  readonly pods: NodePods;
  readonly probes: PodProbes;
  readonly statuses: StatusWriter;
  readonly mirrors: MirrorPods;
  readonly context: RuntimeContext;
  readonly resizing: PodResizing;
}

/** Puts together what runs pods. Nothing runs yet. */
export function openPods(parts: PodParts): OpenedPods {
  const { machine, config, clock, watch, node, client } = parts;
  const events = recordPodEvents(parts.recorder);
  const context = runtimeContext(parts, events);
  const statuses: StatusWriter = new StatusWriter({
    client,
    clock,
    mayRun: (uid) => pods.mayRun(uid),
    apiPod: (uid) => pods.apiPod(uid),
    isStatic: isStaticPod,
  });
  const runner = new ProbeRunner(machine.cri.runtime, clock);
  const probes = new PodProbes({
    clock,
    status: (uid) => statuses.get(uid),
    run: (probe, target) => runner.run(probe, target),
    observe: parts.metrics.observeProbe,
    warn: ({ pod, container }, reason, message) =>
      events.record(pod, { type: "Warning", reason, message, container: container.name }),
  });
  const mirrors = new MirrorPods(client, () => node.node());
  const resizing = new PodResizing({
    context,
    cgroups: machine.cgroups,
    watch,
    node: () => node.node(),
  });
  const work = new PodLifecycle({
    context,
    watch,
    statuses,
    probes,
    node,
    runtimeName: machine.runtimeName,
    isStatic: isStaticPod,
    networkProblem: () => networkProblem(parts.state),
    recursiveReadOnly: parts.recursiveReadOnly,
    ensureMirror: (pod) => mirrors.ensure(pod, pods.mirrorOf(pod)),
    volumes: parts.volumes,
    environment: context.environment,
    cgroups: machine.cgroups,
    resize: resizing,
  });
  const pods: NodePods = new NodePods({
    work,
    clock,
    watch,
    statuses,
    events,
    admit: (pod, others) => admit(pod, others, parts, config),
    makeRoom: (pod, others) => makeRoom(pod, others, parts, config),
    allocate: (pod, others) => resizing.allocate(pod, others),
    orphanedMirror: (mirror) => void mirrors.delete(mirror),
  });
  return { pods, probes, statuses, mirrors, context, resizing };
}

function admit(
  pod: Pod,
  others: readonly Pod[],
  { node, admitters }: PodParts,
  { allowedUnsafeSysctls = [] }: KubeletConfiguration,
): Admission {
  const checks = [
    () => admitToNode(pod, node.node(), others),
    () => admitSysctls(pod, allowedUnsafeSysctls),
    () => admitAppArmor(pod, isAppArmorEnabled()),
    ...admitters.map((admitter) => () => admitter.admit(pod)),
  ];
  for (const check of checks) {
    const admission = check();
    if (!admission.admitted) return admission;
  }
  return { admitted: true };
}

/** A critical pod that only lacks resources may make others go. */
function makeRoom(
  pod: Pod,
  others: readonly Pod[],
  parts: PodParts,
  config: KubeletConfiguration,
): readonly Pod[] | undefined {
  if (!isCriticalPod(pod)) return undefined;
  const chosen = podsToPreempt(pod, resourceShortages(pod, parts.node.node(), others), others);
  const left = others.filter((other) => !chosen?.includes(other));
  return admit(pod, left, parts, config).admitted ? chosen : undefined;
}

/** Why pods can't have a network, in upstream's words. */
function networkProblem({ health }: NodeState): string | undefined {
  const conditions = health.status?.status?.conditions ?? [];
  const network = conditions.find(({ type }) => type === "NetworkReady");
  if (network?.status === true) return undefined;
  if (!network) return "network state unknown";
  const { reason, message } = network;
  return `container runtime network not ready: NetworkReady=false reason:${reason} message:${message}`;
}

function runtimeContext(parts: PodParts, events: RuntimeContext["events"]): RuntimeContext {
  const { machine, config, clock, informers, node, objects, volumes } = parts;
  const { cri, directories } = machine;
  const classes = informers.informer(runtimeClasses);
  const serviceStore = informers.informer(services).store;
  return {
    cri,
    clock,
    events,
    directories,
    images: new ImagePuller({
      images: cri.images,
      clock,
      maxParallel: config.serializeImagePulls ? 1 : config.maxParallelImagePulls,
      qps: config.registryPullQPS,
      burst: config.registryBurst,
      records: new PullRecords({
        root: directories.root,
        policy: (config.imagePullCredentialsVerificationPolicy ||
          "NeverVerifyPreloadedImages") as VerificationPolicy,
        allowlist: config.preloadedImagesVerificationAllowlist ?? [],
        clock,
      }),
    }),
    volumes,
    environment: new PodEnvironment({
      directories,
      events,
      node,
      clusterDomain: config.clusterDomain ?? "",
      clusterDNS: config.clusterDNS ?? [],
      resolvConf: config.resolvConf,
      services: () => serviceStore.list(),
      getConfigMap: (namespace, name) => objects.getConfigMap(namespace, name),
      getSecret: (namespace, name) => objects.getSecret(namespace, name),
      readVolumeFile: (pod, volume, path) => readVolumeFile(volumes, pod, volume, path),
    }),
    cgroups: machine.cgroups,
    crashBackoff: new BackoffTable({
      initialMs: initialRestartMs,
      maxMs: parseDuration(config.crashLoopBackOff.maxContainerRestartPeriod),
      clock,
    }),
    seccompDefault: config.seccompDefault,
    requestTimeoutMs: parseDuration(config.runtimeRequestTimeout),
    findRuntimeClass: (name) => classes.store.get(undefined, name),
    userNamespaces: new UserNamespaces(config.userNamespaces?.idsPerPod),
    getSecret: (namespace, name) => objects.getSecret(namespace, name),
  };
}
