/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go (startContainer). */
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Container, Pod, Secret } from "#/api/core/v1.ts";
import { settleAll } from "#/std/async/settle-all.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { logger } from "#/std/log/log.ts";
import type { ContainerConfig, Mount } from "../cri/container-messages.ts";
import type { ImageSpec } from "../cri/image-messages.ts";
import type { PodSandboxConfig } from "../cri/sandbox-messages.ts";
import { registryOf } from "../images/image-name.ts";
import type { PresentImage } from "../images/image-puller.ts";
import { findObserved } from "../plan/pod-actions.ts";
import { containerLogLinks } from "../state/directories.ts";
import type { ObservedPod } from "../state/observed-pod.ts";
import type { AnyContainer } from "../state/pod-containers.ts";
import { StartError } from "../state/start-error.ts";
import { containerConfig } from "./container-config.ts";
import { runHook } from "./lifecycle-hooks.ts";
import type { RuntimeContext } from "./runtime-context.ts";
import { type ImageUser, linuxSecurityContext, verifyRunAsNonRoot } from "./security-context.ts";
import { stopContainer } from "./stop-pod.ts";

const log = logger("kubelet");

interface StartRequest {
  readonly pod: Pod;
  readonly container: AnyContainer;
  readonly observed: ObservedPod;
  readonly sandboxId: string;
  readonly sandboxConfig: PodSandboxConfig;
  readonly runtimeHandler: string;
  readonly podIPs: readonly string[];
  readonly secrets: readonly Secret[];
  /** References of image volumes by volume name. */
  readonly imageVolumes: ReadonlyMap<string, ImageSpec>;
  /** Aborts when the pod has to end. */
  readonly signal: AbortSignal;
}

/** Pulls the image, creates and starts a container and runs its postStart hook. Throws StartError. */
export async function startContainer(
  context: RuntimeContext,
  request: StartRequest,
): Promise<void> {
  const { pod, container, signal } = request;
  const recordEvent = eventsOf(context, request);
  const facts = () => ({ container: container.name });
  const { steps } = context;
  const present = await ensureImage(context, request, recordEvent);
  const { config, containerId } = await steps.run(
    pod,
    "create container",
    () => createContainer(context, request, present),
    facts,
  );
  const { runtime } = context.cri;
  const start = async () => {
    await runtime.StartContainer({ containerId }, { signal }).catch((error) => {
      signal.throwIfAborted();
      throw failed(recordEvent, error, "RunContainerError", containerId);
    });
    recordEvent("Normal", "Started", "Container started");
    await linkLog(request, config, containerId);
  };
  await steps.run(pod, "start container", start, facts);
  await postStart(context, request, containerId);
  steps.started(pod);
}

async function ensureImage(
  context: RuntimeContext,
  request: StartRequest,
  recordEvent: RecordEvent,
): Promise<PresentImage> {
  const { pod, container, signal } = request;
  const { image = "", name, imagePullPolicy: policy } = container;
  const ensure = () => context.images.ensure({ ...request, image, policy, recordEvent });
  const facts = (present: PresentImage | undefined) => ({
    ...{ image, container: name, registry: registryOf(image) },
    ...(present ? { cached: present.wasPresent ?? false, bytes: present.image?.size ?? 0 } : {}),
  });
  return context.steps.run(pod, "pull image", ensure, facts).catch((error: unknown) => {
    const known = error instanceof StartError && !signal.aborted;
    if (known) recordEvent("Warning", "Failed", `Error: ${error.reason}`);
    throw error;
  });
}

async function createContainer(
  context: RuntimeContext,
  request: StartRequest,
  present: PresentImage,
): Promise<{ readonly config: ContainerConfig; readonly containerId: string }> {
  const { sandboxId, sandboxConfig, signal } = request;
  const recordEvent = eventsOf(context, request);
  const config = await configOf(context, request, present).catch((error) => {
    throw failed(recordEvent, error, "CreateContainerConfigError");
  });
  const { containerId } = await context.cri.runtime
    .CreateContainer({ podSandboxId: sandboxId, config, sandboxConfig }, { signal })
    .catch((error) => {
      signal.throwIfAborted();
      throw failed(recordEvent, error, "CreateContainerError");
    });
  recordEvent("Normal", "Created", "Container created");
  return { config, containerId };
}

type RecordEvent = (type: "Normal" | "Warning", reason: string, message: string) => void;

function eventsOf({ events }: RuntimeContext, { pod, container }: StartRequest): RecordEvent {
  return (type, reason, message) =>
    events.record(pod, { type, reason, message, container: container.name });
}

function failed(
  recordEvent: RecordEvent,
  error: unknown,
  reason: string,
  containerId?: string,
): StartError {
  const text =
    error instanceof GrpcError
      ? error.details
      : error instanceof Error
        ? error.message
        : String(error);
  const message = `Error: ${text}`;
  recordEvent(
    "Warning",
    "Failed",
    containerId ? message.replaceAll(containerId, "container") : message,
  );
  return new StartError(reason, text);
}

async function configOf(
  context: RuntimeContext,
  request: StartRequest,
  present: PresentImage,
): Promise<ContainerConfig> {
  const { pod, container, podIPs } = request;
  const asContainer = container as Container;
  const [restartCount, variables] = await settleAll([
    nextRestartCount(context, request),
    context.environment.variables({ pod, container: asContainer, podIPs }),
  ] as const);
  context.steps.hideValues(pod, asContainer, variables);
  const logDirectory = join(context.directories.podLog(pod), container.name);
  const [mounts] = await settleAll([
    mountsOf(context, request, variables),
    mkdir(logDirectory, { recursive: true, mode: 0o755 }),
  ] as const);
  const user = imageUser(present);
  verifyRunAsNonRoot(pod, container, user);
  const { uid = "" } = pod.metadata;
  const userns = context.userNamespaces.mapping(uid, pod.spec.hostUsers);
  return containerConfig({
    pod,
    container,
    imageRef: present.ref,
    restartCount,
    variables,
    mounts,
    devices: context.volumes.containerDevices(pod, asContainer),
    resources: context.cgroups.containerResources(pod, asContainer),
    securityContext: linuxSecurityContext(pod, container, user, {
      seccompRoot: context.directories.seccomp,
      seccompDefault: context.seccompDefault,
      targetId: targetOf(request),
      ...(userns && { usernsOptions: userns }),
    }),
  });
}

/** The container whose process namespace an ephemeral one shares. */
function targetOf({ container, observed }: StartRequest): string | undefined {
  const name = "targetContainerName" in container ? container.targetContainerName : undefined;
  if (!name) return undefined;
  const target = findObserved(observed, name);
  if (!target) throw new Error(`unable to find target container ${name}`);
  return target.id;
}

/** The last restart count plus one; if the runtime has lost its state, the last one in the logs plus one. */
async function nextRestartCount(
  { directories }: RuntimeContext,
  { pod, container, observed }: StartRequest,
): Promise<number> {
  const last = findObserved(observed, container.name);
  if (last) return last.restartCount + 1;
  const files = await readdir(join(directories.podLog(pod), container.name)).catch(() => []);
  const counts = files.map((name) => Number(/^(\d+)\.log(\..*)?/.exec(name)?.[1] ?? -1) + 1);
  return Math.max(0, ...counts);
}

async function mountsOf(
  context: RuntimeContext,
  { pod, container, podIPs, imageVolumes }: StartRequest,
  variables: readonly { readonly name: string; readonly value: string }[],
): Promise<readonly Mount[]> {
  const asContainer = container as Container;
  const environment = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  const mounts = await settleAll([
    context.volumes.containerMounts({
      pod,
      container: asContainer,
      environment,
      images: imageVolumes,
      podIPs,
    }),
    context.environment.hostsFile(pod, asContainer, podIPs),
    messageMount(context, pod, container),
  ] as const);
  return mounts.flat().filter((mount) => mount !== undefined);
}

async function messageMount(
  context: RuntimeContext,
  { metadata }: Pod,
  { name, terminationMessagePath: path }: AnyContainer,
): Promise<Mount | undefined> {
  if (!path) return undefined;
  const hostPath = await makeMessageFile(context, metadata.uid ?? "", name);
  return { hostPath, containerPath: resolve("/", path) };
}

/** Creates a message file for each instance of a container, writable by the container's user. */
async function makeMessageFile(
  { directories }: RuntimeContext,
  uid: string,
  containerName: string,
): Promise<string> {
  const directory = directories.container(uid, containerName);
  await mkdir(directory, { recursive: true, mode: 0o750 });
  const path = join(directory, randomBytes(4).toString("hex"));
  await writeFile(path, "");
  await chmod(path, 0o666);
  return path;
}

function imageUser({ image }: PresentImage): ImageUser {
  if (image?.uid) return { uid: image.uid.value, username: "" };
  if (image?.username) return { username: image.username };
  return { uid: 0, username: "" };
}

/** Creates a link for log collectors; the container runs without it, too. */
async function linkLog(
  { pod, container, sandboxConfig }: StartRequest,
  config: ContainerConfig,
  containerId: string,
): Promise<void> {
  const target = join(sandboxConfig.logDirectory ?? "", config.logPath ?? "");
  const link = logLink(pod, container.name, containerId);
  try {
    await mkdir(containerLogLinks, { recursive: true, mode: 0o755 });
    await symlink(target, link);
  } catch (error) {
    log.error(error, "Failed to create legacy symbolic link", { path: link });
  }
}

const maxFileNameLength = 251;

/** `/var/log/containers/POD_NAMESPACE_CONTAINER-ID.log`. */
export function logLink({ metadata }: Pick<Pod, "metadata">, name: string, id: string): string {
  const rest = `-${id}.log`;
  const base = `${metadata.name}_${metadata.namespace}_${name}`;
  const room = maxFileNameLength + ".log".length - rest.length;
  return join(containerLogLinks, base.slice(0, room) + rest);
}

async function postStart(
  context: RuntimeContext,
  request: StartRequest,
  containerId: string,
): Promise<void> {
  const { pod, container, podIPs, signal } = request;
  const handler = container.lifecycle?.postStart;
  if (!handler) return;
  const podIP = podIPs[0] ?? "";
  try {
    await runHook(context, handler, { pod, container, containerId, podIP }, signal);
  } catch (error) {
    signal.throwIfAborted();
    const recordEvent = eventsOf(context, request);
    recordEvent("Warning", "FailedPostStartHook", "PostStartHook failed");
    const made = { id: containerId, name: container.name, labels: {}, annotations: {} };
    await stopContainer(context, {
      pod,
      container: { ...notStarted, ...made },
      podIP,
      message: "FailedPostStartHook",
      reason: "FailedPostStartHook",
    }).catch((cause) => log.error(cause, "Failed to kill container"));
    throw new StartError("PostStartHookError", (error as Error).message);
  }
}

/** A container that was just created, before it is observed. */
const notStarted = {
  sandboxId: "",
  state: "running" as const,
  restartCount: 0,
  createdAtMs: 0,
  startedAtMs: 0,
  finishedAtMs: 0,
  exitCode: 0,
  reason: "",
  message: "",
  image: "",
  imageRef: "",
  imageId: "",
  hash: "",
  logPath: "",
  mounts: [],
};
