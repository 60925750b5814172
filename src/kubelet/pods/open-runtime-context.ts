import { services } from "#/api/core/v1.ts";
import { runtimeClasses } from "#/api/node/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { parseDuration } from "#/std/go/duration.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import type { Cri } from "../cri/runtime-service.ts";
import { PodEnvironment } from "../environment/pod-environment.ts";
import { BackoffTable } from "../images/backoff-table.ts";
import { openImagePuller } from "../images/open-image-puller.ts";
import type { Directories } from "../state/directories.ts";
import type { PodEvents } from "../state/pod-events.ts";
import type { NodeAccess, PodCgroups } from "../state/pod-services.ts";
import type { PodSteps } from "../state/pod-steps.ts";
import type { NodeVolumes } from "../volumes/node-volumes.ts";
import { readVolumeFile } from "../volumes/read-volume-file.ts";
import type { ReferencedObjects } from "../volumes/referenced-objects.ts";
import type { RuntimeContext } from "./runtime-context.ts";
import { UserNamespaces } from "./user-namespaces.ts";

interface OpenRuntimeContextOptions {
  readonly config: KubeletConfiguration;
  readonly clock: Clock;
  readonly cri: Cri;
  readonly directories: Directories;
  readonly cgroups: PodCgroups;
  readonly informers: Informers;
  readonly node: NodeAccess;
  readonly events: PodEvents;
  readonly steps: PodSteps;
  /** Records a warning about the node. */
  readonly warnNode: (reason: string, message: string) => void;
  readonly objects: Pick<ReferencedObjects, "getConfigMap" | "getSecret">;
  readonly volumes: Pick<NodeVolumes, "containerMounts" | "containerDevices" | "find">;
  readonly runtimeHandlers: RuntimeContext["runtimeHandlers"];
}

/** First delay of a container that is started again (ms), as upstream. */
const initialRestartMs = 10_000;

/** The parts that starting and stopping containers needs, as configured. */
export function openRuntimeContext(options: OpenRuntimeContextOptions): RuntimeContext {
  const { config, clock, cri, directories, cgroups, informers, events, objects, volumes } = options;
  const classes = informers.informer(runtimeClasses).store;
  const serviceStore = informers.informer(services).store;
  return {
    cri,
    clock,
    events,
    steps: options.steps,
    directories,
    volumes,
    cgroups,
    images: openImagePuller({ images: cri.images, clock, root: directories.root, config }),
    environment: new PodEnvironment({
      directories,
      events,
      warnNode: options.warnNode,
      node: options.node,
      clusterDomain: config.clusterDomain ?? "",
      clusterDNS: config.clusterDNS ?? [],
      resolvConf: config.resolvConf,
      services: () => serviceStore.list(),
      getConfigMap: (namespace, name) => objects.getConfigMap(namespace, name),
      getSecret: (namespace, name) => objects.getSecret(namespace, name),
      readVolumeFile: (pod, volume, path) => readVolumeFile(volumes, pod, volume, path),
    }),
    crashBackoff: new BackoffTable({
      initialMs: initialRestartMs,
      maxMs: parseDuration(config.crashLoopBackOff.maxContainerRestartPeriod),
      clock,
    }),
    seccompDefault: config.seccompDefault,
    findRuntimeClass: (name) => classes.get(undefined, name),
    runtimeHandlers: options.runtimeHandlers,
    userNamespaces: new UserNamespaces(config.userNamespaces?.idsPerPod),
    getSecret: (namespace, name) => objects.getSecret(namespace, name),
  };
}
