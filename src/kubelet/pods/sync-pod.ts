/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go (SyncPod). */
import { mkdir, rm } from "node:fs/promises";
import type { Pod } from "#/api/core/v1.ts";
import type { PodSandboxConfig, PodSandboxStatus } from "../cri/sandbox-messages.ts";
import { rpcText } from "../images/image-puller.ts";
import type { PodActions } from "../plan/pod-actions.ts";
import type { ObservedContainer, ObservedPod } from "../state/observed-pod.ts";
import { describePod, isHostNetwork } from "../state/pod-containers.ts";
import type { StartError } from "../state/start-error.ts";
import { removeLogs } from "./log-collection.ts";
import { addressesOf } from "./observe-pod.ts";
import type { RuntimeContext } from "./runtime-context.ts";
import { sandboxConfig } from "./sandbox-config.ts";
import { logLink } from "./start-container.ts";
import { startContainers } from "./start-containers.ts";
import { orNotFound, stopContainer, stopPod } from "./stop-pod.ts";
import { userNamespaceProblem } from "./user-namespaces.ts";

interface SyncRequest {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly actions: PodActions;
  /** IP addresses of the sandbox; the node's for host network. */
  readonly podIPs: readonly string[];
  /** Called with a started container, or with the error. */
  started(containerName: string, failure: StartError | undefined): void;
  /** Called once sandbox and network exist. */
  sandboxReady(status: PodSandboxStatus): void;
  /** Aborts when the pod has to end: calls are then cancelled, and failures not reported. */
  readonly signal: AbortSignal;
}

/** Carries out the actions. Throws the first error; containers that did not start are reported by started(). */
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
    await stopPod(context, { pod, observed, signal: request.signal });
    if (actions.createSandbox) await removeInitContainers(context, pod, observed, 0);
  } else {
    await killContainers(context, request);
  }
  await removeInitContainers(context, pod, observed, 1);
  const work = {
    ...request,
    // Images are not yet distinguished by runtime handler.
    runtimeHandler: "",
    sandboxId: actions.sandboxId,
    podIPs: request.podIPs,
    config: () => sandboxConfigOf(context, pod, actions.attempt),
  };
  if (actions.createSandbox) Object.assign(work, await createSandbox(context, request));
  if (request.signal.aborted) return;
  await startContainers(context, work);
}

async function killContainers(context: RuntimeContext, request: SyncRequest): Promise<void> {
  const { pod, observed, actions, signal } = request;
  const podIP = observed.ips[0] ?? "";
  for (const { container, message, reason } of actions.kill) {
    await stopContainer(context, { pod, container, message, reason, podIP, signal });
  }
  for (const container of actions.reset) {
    if (container.state === "running" || container.state === "unknown") {
      const why = { message: "killing", reason: "RestartAllContainers" as const, graceSeconds: 0 };
      await stopContainer(context, { pod, container, podIP, signal, ...why });
    }
    await orNotFound(context.cri.runtime.RemoveContainer({ containerId: container.id }));
  }
}

/** Removes ended init containers but for the newest `keep` of each name. */
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
  if (logPath) await removeLogs(logPath);
  const metadata = {
    name: labels["io.kubernetes.pod.name"] ?? "",
    namespace: labels["io.kubernetes.pod.namespace"] ?? "",
  };
  await rm(logLink({ metadata }, name, id), { force: true });
  await orNotFound(cri.runtime.RemoveContainer({ containerId: id }));
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
  const { pod, actions, podIPs, signal } = request;
  const { runtime } = context.cri;
  try {
    const runtimeHandler = lookupHandler(context, pod);
    if (pod.spec.hostUsers === false) {
      const problem = userNamespaceProblem(runtimeHandler, context.runtimeHandlers());
      if (problem !== undefined) throw new Error(problem);
    }
    const config = await sandboxConfigOf(context, pod, actions.attempt);
    await mkdir(config.logDirectory ?? "", { recursive: true, mode: 0o755 });
    const { podSandboxId, status } = await context.steps.run(
      pod,
      "sandbox",
      async () => {
        const made = await runtime.RunPodSandbox({ config, runtimeHandler }, { signal });
        const found = await runtime.PodSandboxStatus(made);
        if (!found.status) throw new Error("pod sandbox status is nil");
        return { podSandboxId: made.podSandboxId, status: found.status };
      },
      (made) => (made ? { ip: addressesOf(made.status)[0] ?? "" } : {}),
    );
    request.sandboxReady(status);
    const addresses = isHostNetwork(pod) ? podIPs : addressesOf(status);
    return { sandboxId: podSandboxId, podIPs: addresses, config: async () => config };
  } catch (error) {
    if (!signal.aborted) {
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
