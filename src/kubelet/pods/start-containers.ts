/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go (SyncPod). */
import type { Pod, Secret } from "#/api/core/v1.ts";
import { formatDuration } from "#/std/go/duration.ts";
import { logger } from "#/std/log/log.ts";
import type { ImageSpec } from "../cri/image-messages.ts";
import type { PodSandboxConfig } from "../cri/sandbox-messages.ts";
import { rpcText } from "../images/image-puller.ts";
import type { PodActions } from "../plan/pod-actions.ts";
import { containerHash } from "../state/container-hash.ts";
import type { ObservedPod } from "../state/observed-pod.ts";
import {
  type AnyContainer,
  describePod,
  findContainer,
  isSidecar,
} from "../state/pod-containers.ts";
import { StartError } from "../state/start-error.ts";
import type { RuntimeContext } from "./runtime-context.ts";
import { startContainer } from "./start-container.ts";

const log = logger("kubelet");

/** Containers to start in an existing sandbox. */
interface StartWork {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly actions: PodActions;
  readonly podIPs: readonly string[];
  /** Called with a started container, or with the error. */
  started(containerName: string, failure: StartError | undefined): void;
  /** Aborts when the pod has to end: no more containers are started. */
  readonly signal: AbortSignal;
  readonly runtimeHandler: string;
  readonly sandboxId: string;
  readonly config: () => Promise<PodSandboxConfig>;
}

/** Starts ephemeral, init and ordinary containers, in this order. Throws the first failure after all allowed tries. */
export async function startContainers(context: RuntimeContext, work: StartWork): Promise<void> {
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
      if (work.signal.aborted) return;
      const failure = toStartError(error);
      work.started(name, failure);
      if (failure.retryAfterMs !== undefined) context.steps.backsOff(pod, name, failure);
      logFailure(pod, name, failure);
      first ??= failure;
      if (failure.reason === "ErrImagePull") warnOfSecrets(context, pod, missing);
      if (actions.startInit.includes(name) && !isSidecar(container)) break;
    }
    if (work.signal.aborted) return;
  }
  if (first) throw first;
}

function toStartError(error: unknown): StartError {
  if (error instanceof StartError) return error;
  return new StartError("CreateContainerError", rpcText(error));
}

function logFailure(pod: Pod, container: string, { reason, message }: StartError): void {
  const level = reason.endsWith("BackOff") ? 3 : 0;
  log.v(level, "failed to start container", { pod: describePod(pod), container, reason, message });
}

type Volumes = ReadonlyMap<string, ImageSpec | StartError>;

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
  const mounted = new Map<string, ImageSpec>();
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

/** Throws while a container that ended is in back-off. */
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

/** The pulled images of image volumes, or the errors. */
async function imageVolumes(
  context: RuntimeContext,
  request: StartWork & {
    readonly sandboxConfig: PodSandboxConfig;
    readonly secrets: readonly Secret[];
  },
): Promise<Volumes> {
  const { pod, runtimeHandler } = request;
  const { annotations = {} } = pod.metadata;
  const found = new Map<string, ImageSpec | StartError>();
  for (const { name, image } of pod.spec.volumes ?? []) {
    if (!image) continue;
    const { reference: userSpecifiedImage = "" } = image;
    const pulled = await context.images
      .ensure({
        ...request,
        image: userSpecifiedImage,
        policy: image.pullPolicy,
        recordEvent: (type, reason, message) =>
          context.events.record(pod, { type, reason, message }),
      })
      .then(({ ref }) => ({ image: ref, userSpecifiedImage, runtimeHandler, annotations }))
      .catch(toStartError);
    found.set(name, pulled);
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
