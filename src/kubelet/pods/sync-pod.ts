/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go (SyncPod). */
import { mkdir, rm } from "node:fs/promises";
import type { Pod, Secret } from "#/api/core/v1.ts";
import { formatDuration } from "#/std/duration.ts";
import { logger } from "#/std/log.ts";
import type { PodSandboxConfig } from "../cri/sandbox-messages.ts";
import { rpcText } from "../images/image-puller.ts";
import { containerHash } from "./container-hash.ts";
import { addressesOf } from "./observe-pod.ts";
import type { ObservedContainer, ObservedPod } from "./observed-pod.ts";
import type { PodActions } from "./pod-actions.ts";
import {
  type AnyContainer,
  describePod,
  findContainer,
  isHostNetwork,
  isSidecar,
} from "./pod-containers.ts";
import type { RuntimeContext } from "./runtime-context.ts";
import { sandboxConfig } from "./sandbox-config.ts";
import { logLink, startContainer } from "./start-container.ts";
import { StartError } from "./start-error.ts";
import { orNotFound, stopContainer, stopPod } from "./stop-pod.ts";

const log = logger("kubelet");

export interface SyncRequest {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly actions: PodActions;
  /** Of the sandbox; the node's for host network. */
  readonly podIPs: readonly string[];
  /** Told of a container that was started, or why it was not. */
  started(containerName: string, failure: StartError | undefined): void;
  /** Told once sandbox and network are there. */
  sandboxReady(): void;
  /** True once the pod is to end: failures are then no news. */
  readonly ending: () => boolean;
}

/** Does what the actions say. Throws the first error that came; containers that did not start are told of by started(). */
export async function syncPod(context: RuntimeContext, request: SyncRequest): Promise<void> {
  const { pod, observed, actions } = request;
  if (actions.createSandbox && actions.sandboxId !== "") {
    context.events.record(pod, {
      type: "Normal",
      reason: "SandboxChanged",
      message: "Pod sandbox changed, it will be killed and re-created.",
    });
  }
  if (actions.killPod) {
    await stopPod(context, { pod, observed });
    if (actions.createSandbox) await removeInitContainers(context, pod, observed, 0);
  } else {
    await killContainers(context, request);
  }
  await removeInitContainers(context, pod, observed, 1);
  const work = {
    ...request,
    // Images are not yet told apart by runtime handler.
    runtimeHandler: "",
    sandboxId: actions.sandboxId,
    podIPs: request.podIPs,
    config: () => sandboxConfigOf(context, pod, actions.attempt),
  };
  if (actions.createSandbox) Object.assign(work, await createSandbox(context, request));
  if (request.ending()) return;
  await startContainers(context, work);
}

interface StartWork extends SyncRequest {
  readonly runtimeHandler: string;
  readonly sandboxId: string;
  readonly config: () => Promise<PodSandboxConfig>;
}

async function killContainers(context: RuntimeContext, request: SyncRequest): Promise<void> {
  const { pod, observed, actions } = request;
  const podIP = observed.ips[0] ?? "";
  for (const { container, message, reason } of actions.kill) {
    await stopContainer(context, { pod, container, message, reason, podIP });
  }
  for (const container of actions.reset) {
    if (container.state === "running" || container.state === "unknown") {
      const why = { message: "killing", reason: "RestartAllContainers" as const, graceSeconds: 0 };
      await stopContainer(context, { pod, container, podIP, ...why });
    }
    await orNotFound(context.cri.runtime.RemoveContainer({ containerId: container.id }));
  }
}

/** Ended init containers, of which so many of each name are kept. */
async function removeInitContainers(
  context: RuntimeContext,
  pod: Pod,
  observed: ObservedPod,
  keep: number,
): Promise<void> {
  for (const { name } of pod.spec.initContainers ?? []) {
    const ended = observed.containers.filter(
      (one) =>
        one.name === name && (keep === 0 || one.state === "exited" || one.state === "unknown"),
    );
    for (const container of ended.slice(keep)) await removeContainer(context, container);
  }
}

/** Removes a container that has ended, with its log and the link to it. */
export async function removeContainer(
  { cri }: Pick<RuntimeContext, "cri">,
  { id, name, labels, logPath }: ObservedContainer,
): Promise<void> {
  await orNotFound(cri.runtime.RemoveContainer({ containerId: id }));
  const metadata = {
    name: labels["io.kubernetes.pod.name"] ?? "",
    namespace: labels["io.kubernetes.pod.namespace"] ?? "",
  };
  await rm(logLink({ metadata }, name, id), { force: true });
  if (logPath) await rm(logPath, { force: true });
}

function lookupHandler(context: RuntimeContext, { spec }: Pod): string {
  const name = spec.runtimeClassName;
  if (!name) return "";
  const found = context.findRuntimeClass(name);
  if (!found) throw new Error(`runtimeclass.node.k8s.io "${name}" not found`);
  return found.handler;
}

async function sandboxConfigOf(
  context: RuntimeContext,
  pod: Pod,
  attempt: number,
): Promise<PodSandboxConfig> {
  const { directories, environment, cgroups } = context;
  const userns = context.userNamespaces.mapping(pod.metadata.uid ?? "", pod.spec.hostUsers);
  return sandboxConfig({
    pod,
    attempt,
    directories,
    dnsConfig: await environment.dnsConfig(pod),
    hostname: isHostNetwork(pod) ? "" : environment.sandboxHostname(pod),
    cgroupParent: cgroups.parent(pod),
    resources: cgroups.sandboxResources(pod),
    ...(userns && { usernsOptions: userns }),
  });
}

async function createSandbox(
  context: RuntimeContext,
  request: SyncRequest,
): Promise<{
  sandboxId: string;
  podIPs: readonly string[];
  config: () => Promise<PodSandboxConfig>;
}> {
  const { pod, actions, podIPs, ending } = request;
  const { runtime } = context.cri;
  try {
    const runtimeHandler = lookupHandler(context, pod);
    const config = await sandboxConfigOf(context, pod, actions.attempt);
    await mkdir(config.logDirectory ?? "", { recursive: true, mode: 0o755 });
    // Making a sandbox includes its network, which may take long: twice the usual time.
    const options = { timeoutMs: 2 * context.requestTimeoutMs };
    const { podSandboxId } = await runtime.RunPodSandbox({ config, runtimeHandler }, options);
    const { status } = await runtime.PodSandboxStatus({ podSandboxId });
    if (!status) throw new Error("pod sandbox status is nil");
    request.sandboxReady();
    const addresses = isHostNetwork(pod) ? podIPs : addressesOf(status);
    return { sandboxId: podSandboxId, podIPs: addresses, config: async () => config };
  } catch (error) {
    if (!ending()) {
      const message = `Failed to create pod sandbox: ${rpcText(error)}`;
      context.events.record(pod, { type: "Warning", reason: "FailedCreatePodSandBox", message });
    }
    const text = `Failed to create sandbox for pod "${describePod(pod)}": ${rpcText(error)}`;
    throw new Error(
      `failed to "CreatePodSandbox" for "${describePod(pod)}" with CreatePodSandboxError: ${text}`,
      { cause: error },
    );
  }
}

async function startContainers(context: RuntimeContext, work: StartWork): Promise<void> {
  const { pod, actions } = work;
  const names = [...actions.startEphemeral, ...actions.startInit, ...actions.start];
  if (names.length === 0) return;
  const sandboxConfig = await work.config();
  const { secrets, missing } = await pullSecrets(context, pod);
  const shared = { ...work, sandboxConfig, secrets };
  const volumes = await imageVolumes(context, shared);
  let first: Error | undefined;
  for (const name of names) {
    const container = findContainer(pod, name);
    if (!container) continue;
    try {
      await startOne(context, { ...shared, container }, volumes);
      work.started(name, undefined);
    } catch (error) {
      const failure = toStartError(error);
      work.started(name, failure);
      logFailure(pod, name, failure);
      first ??= failure;
      if (failure.reason === "ErrImagePull") warnOfSecrets(context, pod, missing);
      if (actions.startInit.includes(name) && !isSidecar(container)) break;
    }
    if (work.ending()) return;
  }
  if (first) throw first;
}

function toStartError(error: unknown): StartError {
  if (error instanceof StartError) return error;
  return new StartError("CreateContainerError", rpcText(error));
}

function logFailure(pod: Pod, container: string, { reason, message }: StartError): void {
  const level = reason.endsWith("BackOff") ? 3 : 0;
  log.v(level, "container start failed", { pod: describePod(pod), container, reason, message });
}

type Volumes = ReadonlyMap<string, string | StartError>;

async function startOne(
  context: RuntimeContext,
  request: StartWork & {
    readonly sandboxConfig: PodSandboxConfig;
    readonly secrets: readonly Secret[];
    readonly container: AnyContainer;
  },
  volumes: Volumes,
): Promise<void> {
  const { pod, container, observed } = request;
  waitForBackoff(context, pod, container, observed);
  const mounted = new Map<string, string>();
  for (const { name } of container.volumeMounts ?? []) {
    const volume = volumes.get(name);
    if (volume instanceof StartError) {
      const message = `Error: ${volume.reason}`;
      const about = { container: container.name };
      context.events.record(pod, { type: "Warning", reason: "Failed", message, ...about });
      throw volume;
    }
    if (volume !== undefined) mounted.set(name, volume);
  }
  await startContainer(context, { ...request, imageVolumes: mounted });
}

/** Throws while a container that ended is not yet to be started again. */
function waitForBackoff(
  { crashBackoff, events }: RuntimeContext,
  pod: Pod,
  container: AnyContainer,
  observed: ObservedPod,
): void {
  const last = observed.containers.find(
    ({ name, state }) => name === container.name && state === "exited",
  );
  if (!last) return;
  const key = `${pod.metadata.uid}_${container.name}_${containerHash(container)}`;
  const waitMs = crashBackoff.remainingMs(key, last.finishedAtMs);
  if (waitMs <= 0) {
    crashBackoff.next(key, last.finishedAtMs);
    return;
  }
  const where = `${container.name} in pod ${describePod(pod)}`;
  events.record(pod, {
    type: "Warning",
    reason: "BackOff",
    message: `Back-off restarting failed container ${where}`,
    container: container.name,
  });
  const delay = formatDuration(crashBackoff.delayMs(key));
  throw new StartError(
    "CrashLoopBackOff",
    `back-off ${delay} restarting failed container=${container.name} pod=${describePod(pod)}`,
    { retryAfterMs: waitMs },
  );
}

/** The images of image volumes, pulled, or why not. */
async function imageVolumes(
  context: RuntimeContext,
  request: StartWork & {
    readonly sandboxConfig: PodSandboxConfig;
    readonly secrets: readonly Secret[];
  },
): Promise<Volumes> {
  const { pod } = request;
  const found = new Map<string, string | StartError>();
  for (const { name, image } of pod.spec.volumes ?? []) {
    if (!image) continue;
    const ref = await context.images
      .ensure({
        ...request,
        image: image.reference ?? "",
        policy: image.pullPolicy,
        tell: (type, reason, message) => context.events.record(pod, { type, reason, message }),
      })
      .catch(toStartError);
    found.set(name, ref);
  }
  return found;
}

async function pullSecrets(
  context: RuntimeContext,
  { metadata, spec }: Pod,
): Promise<{ secrets: readonly Secret[]; missing: readonly string[] }> {
  const secrets: Secret[] = [];
  const missing: string[] = [];
  for (const { name } of spec.imagePullSecrets ?? []) {
    if (!name) continue;
    try {
      secrets.push(await context.getSecret(metadata.namespace ?? "", name));
    } catch {
      missing.push(name);
    }
  }
  return { secrets, missing };
}

function warnOfSecrets({ events }: RuntimeContext, pod: Pod, missing: readonly string[]): void {
  if (missing.length === 0) return;
  events.record(pod, {
    type: "Warning",
    reason: "FailedToRetrieveImagePullSecret",
    message: `Unable to retrieve some image pull secrets (${missing.join(", ")}); attempting to pull the image may not succeed.`,
  });
}
