/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go (killContainer), kuberuntime_termination_order.go. */
import type { Pod } from "#/api/core/v1.ts";
import { settleAll } from "#/std/async/settle-all.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { logger } from "#/std/log/log.ts";
import type { KillReason } from "../plan/container-kill.ts";
import { restoreFromLabels } from "../state/container-labels.ts";
import type { ObservedContainer, ObservedPod } from "../state/observed-pod.ts";
import { findContainer, isSidecar } from "../state/pod-containers.ts";
import { runHook } from "./lifecycle-hooks.ts";
import type { RuntimeContext } from "./runtime-context.ts";
import { gracePeriod, minimumGraceSeconds, StopOrder } from "./stop-order.ts";

const log = logger("kubelet");

interface StopContainerRequest {
  /** Undefined when the pod is no longer known; the container's labels then have the necessary data. */
  readonly pod: Pod | undefined;
  readonly container: ObservedContainer;
  readonly podIP: string;
  readonly message?: string;
  readonly reason?: KillReason;
  readonly graceSeconds?: number | undefined;
  readonly order?: StopOrder;
  /** Shortens the grace period while the container is being stopped. */
  readonly signal?: AbortSignal;
}

/** Stops a container: preStop hook, wait for its turn, then the runtime's stop with the rest of the grace period. */
export async function stopContainer(
  context: RuntimeContext,
  request: StopContainerRequest,
): Promise<void> {
  const { container: observed, reason = "Unknown" } = request;
  const spec = request.pod && findContainer(request.pod, observed.name);
  const { pod, container } =
    request.pod && spec
      ? { pod: request.pod, container: spec }
      : restoreFromLabels(observed.labels, observed.annotations);
  let grace = request.graceSeconds ?? gracePeriod(pod, container, reason);
  const message = request.message || `Stopping container ${container.name}`;
  context.events.record(pod, {
    type: "Normal",
    reason: "Killing",
    message: message.replaceAll(observed.id, container.name),
    container: container.name,
  });
  const since = elapsedSeconds(context);
  const preStop = container.lifecycle?.preStop;
  if (preStop && grace > 0) {
    await within(context, grace, async (signal) => {
      const target = { pod, container, containerId: observed.id, podIP: request.podIP };
      await runHook(context, preStop, target, AbortSignal.any([signal, ...given(request.signal)]));
    }).catch((error) => {
      log.error(error, "PreStop hook failed", {
        pod: pod.metadata.name,
        container: container.name,
      });
      context.events.record(pod, {
        type: "Warning",
        reason: "FailedPreStopHook",
        message: "PreStopHook failed",
        container: container.name,
      });
    });
    grace -= since();
  }
  if (request.order && grace > 0) {
    const waited = elapsedSeconds(context);
    await within(context, grace, () => request.order?.turn(container.name) ?? Promise.resolve());
    grace -= waited();
  }
  await stopInRuntime(context, observed.id, Math.max(grace, minimumGraceSeconds), request.signal);
  request.order?.ended(container.name);
}

function given(signal: AbortSignal | undefined): AbortSignal[] {
  return signal ? [signal] : [];
}

/** Stops a container in the runtime; one that doesn't exist has ended. */
async function stopInRuntime(
  { cri }: Pick<RuntimeContext, "cri">,
  containerId: string,
  graceSeconds: number,
  signal?: AbortSignal,
): Promise<void> {
  const request = { containerId, timeout: graceSeconds };
  await orNotFound(cri.runtime.StopContainer(request, { signal }));
}

/** Whole seconds since its creation, rounded down as upstream's. */
function elapsedSeconds({ clock }: Pick<RuntimeContext, "clock">): () => number {
  const startMs = clock.monotonicMs();
  return () => Math.floor((clock.monotonicMs() - startMs) / 1000);
}

/** Waits for work, but no longer than the given seconds. */
async function within(
  { clock }: Pick<RuntimeContext, "clock">,
  seconds: number,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = clock.setTimer(seconds * 1000, () => {
    resolve();
    over.abort();
  });
  const working = work(over.signal);
  // After the timeout the work is no longer awaited: its failure is then ignored.
  working.catch(() => undefined);
  await Promise.race([working, promise]);
}

interface StopPodRequest {
  readonly pod: Pod | undefined;
  readonly observed: ObservedPod;
  readonly graceSeconds?: number | undefined;
  readonly signal?: AbortSignal;
}

/** Stops all containers of a pod that may be running, concurrently, then its sandboxes. */
export async function stopPod(context: RuntimeContext, request: StopPodRequest): Promise<void> {
  const { pod, observed, graceSeconds, signal } = request;
  const running = observed.containers.filter(
    ({ state }) => state === "running" || state === "unknown",
  );
  const names = running.map(({ name }) => name);
  const order = pod?.spec.initContainers?.some(isSidecar) ? new StopOrder(pod, names) : undefined;
  await settleAll(
    running.map((container) =>
      stopContainer(context, {
        pod,
        container,
        podIP: observed.ips[0] ?? "",
        graceSeconds,
        ...(order && { order }),
        ...(signal && { signal }),
      }),
    ),
  );
  const stops = observed.sandboxes.map(({ id }) =>
    orNotFound(context.cri.runtime.StopPodSandbox({ podSandboxId: id })),
  );
  await settleAll(stops);
}

/** Whether an error means that the object doesn't exist: it needs no stopping or removing. */
export async function orNotFound(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof GrpcError && error.code === "NOT_FOUND")) throw error;
  }
}
