import type { Container, Node, Pod, PodCondition, PodStatus } from "#/api/core/v1.ts";
import type { Device, Mount } from "../cri/container-messages.ts";
import type { ImageSpec } from "../cri/image-messages.ts";
import type { DNSConfig, LinuxContainerResources } from "../cri/sandbox-messages.ts";

/** The parts of the kubelet that work on a Pod uses: volumes/, environment/, probes/, cgroups/ and node/ implement one each. */
export interface PodServices {
  readonly volumes: PodVolumes;
  readonly environment: ContainerEnvironment;
  readonly probes: Probes;
  readonly cgroups: PodCgroups;
  readonly node: NodeAccess;
}

/** The volumes of the pods of this node: on disk below each pod's directory, mounted and kept up to date. */
export interface PodVolumes {
  /**
   * Sets up all volumes of a pod, and from then on updates those that depend on API objects. Repeating it is
   * cheap. Throws an Error whose message is that of upstream's FailedMount event.
   */
  mount(pod: Pod, signal?: AbortSignal): Promise<void>;
  /** The mounts of one container's volumeMounts, with sub-paths made, after mount(). */
  containerMounts(request: ContainerMountRequest): Promise<readonly Mount[]>;
  /** The devices of one container's volumeDevices, after mount(). */
  containerDevices(pod: Pod, container: Container): readonly Device[];
  /** Unmounts and removes all volumes of a pod, whether or not this process mounted them. Repeating it is harmless. */
  unmount(podUID: string): Promise<void>;
  /** UIDs of the pods that have a directory on disk, for the clean-up of orphans. */
  podsOnDisk(): Promise<readonly string[]>;
}

export interface ContainerMountRequest {
  readonly pod: Pod;
  readonly container: Container;
  /** Values of the container's environment, for subPathExpr. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * The resolved images of image volumes, by volume name: the runtime's reference of the image, pulled by the caller.
   */
  readonly images: ReadonlyMap<string, ImageSpec>;
  readonly podIPs: readonly string[];
}

/** The environment of a container besides its image and volumes. */
export interface ContainerEnvironment {
  /**
   * The variables of a container in order: service links, envFrom, env with references expanded. Throws an Error whose
   * message is that of the container's CreateContainerConfigError: `configmap "x" not found`.
   */
  variables(request: EnvironmentRequest): Promise<readonly EnvironmentVariable[]>;
  /** Writes the pod's hosts file and returns its mount; undefined if the container mounts its own /etc/hosts. */
  hostsFile(pod: Pod, container: Container, podIPs: readonly string[]): Promise<Mount | undefined>;
  /** The content of the pod's resolv.conf. Records an Event about cut search paths, as upstream. */
  dnsConfig(pod: Pod): Promise<DNSConfig | undefined>;
  /**
   * The host name of a pod's sandbox: its name or hostname cut to 63, or the FQDN if the pod sets it. Throws if too
   * long.
   */
  sandboxHostname(pod: Pod): string;
}

export interface EnvironmentRequest {
  readonly pod: Pod;
  readonly container: Container;
  /** IP addresses of the pod's sandbox; the node's for host network. */
  readonly podIPs: readonly string[];
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value: string;
}

export type ProbeKind = "Liveness" | "Readiness" | "Startup";
export type ProbeResult = "Success" | "Failure" | "Unknown";

/** The probes of all containers that run on this node. They read container ids and states from PodAccess. */
export interface Probes {
  /** Starts the probes of the pod's containers that are not running yet. */
  addPod(pod: Pod): void;
  /** Stops liveness and startup probes: the pod is terminating. Readiness probes continue. */
  stopLivenessAndStartup(pod: Pod): void;
  removePod(podUID: string): void;
  /** Stops the probes of all pods but these. */
  keepOnly(podUIDs: ReadonlySet<string>): void;
  /** The status with `ready` and `started` of the containers set; those without probes get upstream's values. */
  applyResults(pod: Pod, status: PodStatus): PodStatus;
  /** The last result for a container (id as in a container status: `containerd://…`); undefined if there is none. */
  result(kind: ProbeKind, containerID: string): ProbeResult | undefined;
  /** The listener is called for every change of a result, so that the pod is synced again. */
  subscribe(listener: (change: ProbeChange) => void): Disposable;
}

export interface ProbeChange {
  readonly kind: ProbeKind;
  readonly result: ProbeResult;
  readonly podUID: string;
  readonly containerID: string;
}

/** The cgroups above containers: node, QoS class, pod. */
export interface PodCgroups {
  /** Creates the node's and the QoS classes' cgroups. Throws if the machine can't. */
  start(): Promise<void>;
  /** Creates the cgroup of a pod with its limits, or updates its limits. Repeating it is cheap. */
  ensure(pod: Pod): Promise<void>;
  /** The cgroupParent of a sandbox: `/kubepods/burstable/podUID` or `kubepods-burstable-podUID.slice`. */
  parent(pod: Pod): string;
  /** Kills the remaining processes of a pod's cgroup and removes it. */
  remove(podUID: string): Promise<void>;
  /** UIDs of the pods that have a cgroup, for the clean-up of orphans. */
  pods(): Promise<readonly string[]>;
  /** Requests and limits of a container in the runtime's form, with its OOM score. */
  containerResources(pod: Pod, container: Container): LinuxContainerResources;
  /** Resources of the pod as a whole and its overhead, for the sandbox. */
  sandboxResources(pod: Pod): SandboxResources;
}

export interface SandboxResources {
  readonly overhead?: LinuxContainerResources;
  readonly resources?: LinuxContainerResources;
}

/** The node for the rest of the kubelet. */
export interface NodeAccess {
  readonly name: string;
  /** The node from the API server, or the one to register while the API server has not been reached. */
  node(): Node;
  /** IP addresses of the node, at most one per family, the primary family first. */
  hostIPs(): readonly string[];
}

/** Whether a pod may start on this node; reason and message are those of the pod's status. */
export type Admission =
  | { readonly admitted: true }
  | { readonly admitted: false; readonly reason: string; readonly message: string };

/** Refuses pods: eviction while the node is under pressure, and others. */
export interface PodAdmitter {
  admit(pod: Pod): Admission;
}

/** Implemented by the pod workers, used by eviction: ends a pod and reports it failed. Resolves when it has ended. */
export type EvictPod = (pod: Pod, eviction: Eviction) => Promise<void>;

export interface Eviction {
  /** `Evicted`. */
  readonly reason: string;
  readonly message: string;
  /** Grace period; 0 kills at once; undefined is the pod's own. */
  readonly gracePeriodSeconds?: number;
  /** DisruptionTarget. */
  readonly condition?: PodCondition;
}
