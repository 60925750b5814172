/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go (GetPodStatus). */

import { GrpcError } from "#/std/grpc/grpc.ts";
import type { Container, ContainerStatus } from "../cri/container-messages.ts";
import type { RuntimeService } from "../cri/runtime-service.ts";
import type { PodSandbox, PodSandboxStatus } from "../cri/sandbox-messages.ts";
import {
  containerNameLabel,
  hashAnnotation,
  podNameLabel,
  podNamespaceLabel,
  podUIDLabel,
  restartCountAnnotation,
} from "../state/container-labels.ts";
import {
  type ObservedContainer,
  type ObservedPod,
  type ObservedSandbox,
  observedState,
} from "../state/observed-pod.ts";
import { readTerminationMessage } from "./termination-message.ts";

const nanosPerMs = 1e6;

/** Reads pods from the runtime. Details that can't change (ended containers, addresses of a sandbox) are read once. */
export class PodObservation {
  readonly #runtime: RuntimeService;
  /** Ended containers by id. */
  readonly #ended = new Map<string, ObservedContainer>();
  readonly #sandboxes = new Map<string, PodSandboxStatus>();

  constructor(runtime: RuntimeService) {
    this.#runtime = runtime;
  }

  /** All pods of the runtime, by UID, without details. */
  async listAll(): Promise<Map<string, RuntimePod>> {
    return this.#list({});
  }

  /** The runtime's state of one pod; without sandboxes and containers if there are none. */
  async observe(uid: string): Promise<ObservedPod> {
    const listed = (await this.#list({ [podUIDLabel]: uid })).get(uid);
    if (!listed) return { uid, name: "", namespace: "", ips: [], sandboxes: [], containers: [] };
    return this.detail(listed);
  }

  /** Reads the details of listed sandboxes and containers. */
  async detail({ uid, name, namespace, sandboxes, containers }: RuntimePod): Promise<ObservedPod> {
    const statuses = await Promise.all(sandboxes.map((sandbox) => this.#sandboxStatus(sandbox)));
    const detailed = await Promise.all(containers.map((container) => this.#container(container)));
    const known = statuses.filter((status) => status !== undefined);
    const [newest] = known;
    return {
      uid,
      name,
      namespace,
      ips: newest?.state === "SANDBOX_READY" ? addressesOf(newest) : [],
      sandboxes: known.map(toSandbox),
      containers: detailed.filter((container) => container !== undefined),
    };
  }

  /** Adds the details of a sandbox that was just created, and returns the pod with it. */
  withSandbox(pod: ObservedPod, status: PodSandboxStatus): ObservedPod {
    if (status.state === "SANDBOX_READY") this.#sandboxes.set(status.id, status);
    return { ...pod, ips: addressesOf(status), sandboxes: [toSandbox(status), ...pod.sandboxes] };
  }

  /** Drops the details of all but these. */
  keepOnly(pods: Iterable<RuntimePod>): void {
    const kept = [...pods];
    const containers = new Set(kept.flatMap((pod) => pod.containers.map(({ id }) => id)));
    const sandboxes = new Set(kept.flatMap((pod) => pod.sandboxes.map(({ id }) => id)));
    for (const id of this.#ended.keys()) if (!containers.has(id)) this.#ended.delete(id);
    for (const id of this.#sandboxes.keys()) if (!sandboxes.has(id)) this.#sandboxes.delete(id);
  }

  async #list(labelSelector: Record<string, string>): Promise<Map<string, RuntimePod>> {
    const [{ items }, { containers }] = await Promise.all([
      this.#runtime.ListPodSandbox({ filter: { labelSelector } }),
      this.#runtime.ListContainers({ filter: { labelSelector } }),
    ]);
    const pods = new Map<string, RuntimePod>();
    const podOf = (labels: Readonly<Record<string, string>>): RuntimePod | undefined => {
      const uid = labels[podUIDLabel];
      const name = labels[podNameLabel];
      if (!uid || name === undefined) return undefined;
      const found = pods.get(uid);
      if (found) return found;
      const namespace = labels[podNamespaceLabel] ?? "";
      const pod: RuntimePod = { uid, name, namespace, sandboxes: [], containers: [] };
      pods.set(uid, pod);
      return pod;
    };
    for (const sandbox of items) podOf(sandbox.labels)?.sandboxes.push(sandbox);
    for (const container of containers) podOf(container.labels)?.containers.push(container);
    for (const pod of pods.values()) {
      pod.sandboxes.sort((a, b) => b.createdAt - a.createdAt);
      pod.containers.sort((a, b) => b.createdAt - a.createdAt);
    }
    return pods;
  }

  async #sandboxStatus(sandbox: PodSandbox): Promise<PodSandboxStatus | undefined> {
    const known = this.#sandboxes.get(sandbox.id);
    if (known) return { ...known, state: sandbox.state };
    const status = (await orGone(this.#runtime.PodSandboxStatus({ podSandboxId: sandbox.id })))
      ?.status;
    if (status?.state === "SANDBOX_READY") this.#sandboxes.set(sandbox.id, status);
    return status;
  }

  async #container({ id, podSandboxId }: Container): Promise<ObservedContainer | undefined> {
    const known = this.#ended.get(id);
    if (known) return known;
    const status = (await orGone(this.#runtime.ContainerStatus({ containerId: id })))?.status;
    if (!status) return undefined;
    const container = await toContainer(status, podSandboxId);
    if (container.state === "exited") this.#ended.set(id, container);
    return container;
  }
}

/** A pod as the runtime lists it. Newest first. */
export interface RuntimePod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly sandboxes: PodSandbox[];
  readonly containers: Container[];
}

/** A listed object may be removed before its details are read. */
async function orGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof GrpcError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

/** The addresses of a sandbox, primary first. */
export function addressesOf({ network }: PodSandboxStatus): readonly string[] {
  const all = [network?.ip ?? "", ...(network?.additionalIps.map(({ ip }) => ip) ?? [])];
  return all.filter((ip) => ip !== "");
}

function toSandbox(status: PodSandboxStatus): ObservedSandbox {
  return {
    id: status.id,
    attempt: status.metadata?.attempt ?? 0,
    ready: status.state === "SANDBOX_READY",
    createdAtMs: status.createdAt / nanosPerMs,
    hostNetwork: status.linux?.namespaces?.options?.network === "NODE",
    runtimeHandler: status.runtimeHandler,
    firstHostId: status.linux?.namespaces?.options?.usernsOptions?.uids[0]?.hostId,
  };
}

async function toContainer(status: ContainerStatus, sandboxId: string): Promise<ObservedContainer> {
  const state = observedState(status.state);
  const { annotations, labels, stopSignal } = status;
  const said = state === "exited" ? await readTerminationMessage(status) : "";
  const message = state === "exited" ? [status.message, said].filter((text) => text !== "") : [];
  return {
    id: status.id,
    name: labels[containerNameLabel] ?? "",
    sandboxId,
    state,
    restartCount: Number(annotations[restartCountAnnotation] ?? 0),
    createdAtMs: status.createdAt / nanosPerMs,
    startedAtMs: state === "created" ? 0 : status.startedAt / nanosPerMs,
    finishedAtMs: state === "exited" ? status.finishedAt / nanosPerMs : 0,
    exitCode: status.exitCode,
    reason: state === "exited" ? status.reason : "",
    message: message.join(": "),
    image: status.image?.image ?? "",
    imageRef: status.imageRef,
    imageId: status.imageId || status.imageRef,
    hash: annotations[hashAnnotation] ?? "",
    logPath: status.logPath,
    labels,
    annotations,
    resources: status.resources?.linux,
    user: status.user?.linux,
    mounts: status.mounts.map(({ containerPath, hostPath }) => ({ containerPath, hostPath })),
    stopSignal:
      typeof stopSignal === "string" && stopSignal !== "RUNTIME_DEFAULT" ? stopSignal : undefined,
  };
}
