import { systemClock } from "#/std/time/clock.ts";
import { type Cri, connectRuntime } from "./cri/runtime-service.ts";
import { waitForRuntime } from "./cri/wait-for-runtime.ts";
import { terminationGraceAnnotation } from "./state/container-labels.ts";

/** Limit of the wait for the answer of a runtime that was just started. */
const runtimeTimeoutMs = 30_000;

interface RemoveOptions {
  /** Limit of a container's termination grace period (seconds); 0 ends all at once. */
  readonly maxGraceSeconds: number;
  /**
   * Whether ended containers stay in the runtime, as after a restart of the machine: the next kubelet reports their
   * end.
   */
  readonly keepsEnded?: boolean;
}

/**
 * Stops and removes all pods of a node, with their networks: for a node that is taken down. Failures are logged, and
 * what could not be removed is left.
 */
export async function removeAllPods(
  endpoint: string,
  { maxGraceSeconds, keepsEnded = false }: RemoveOptions,
  signal: AbortSignal,
): Promise<void> {
  using cri = connectRuntime(endpoint);
  const late = new AbortController();
  using _timer = systemClock.setTimer(runtimeTimeoutMs, () =>
    late.abort(new Error(`the container runtime at ${endpoint} doesn't answer`)),
  );
  await waitForRuntime(cri, systemClock, AbortSignal.any([signal, late.signal]));
  // Stopping a sandbox gives its containers no grace period with some runtimes, and one of its own choice with others.
  await stopContainers(cri, maxGraceSeconds);
  const { items } = await cri.runtime.ListPodSandbox({});
  const results = await Promise.allSettled(
    items.map(async ({ id }) => {
      await cri.runtime.StopPodSandbox({ podSandboxId: id });
      if (!keepsEnded) await cri.runtime.RemovePodSandbox({ podSandboxId: id });
    }),
  );
  const failed = results.filter((result) => result.status === "rejected");
  if (failed[0]) {
    throw new Error(`${failed.length} pods could not be removed: ${failed[0].reason}`);
  }
}

/** Stops all containers, each with its Pod's grace period; failures are reported when the sandbox is stopped. */
async function stopContainers({ runtime }: Cri, maxGraceSeconds: number): Promise<void> {
  const { containers } = await runtime.ListContainers({});
  await Promise.allSettled(
    containers.map(({ id, annotations }) => {
      const podSeconds = Number(annotations[terminationGraceAnnotation] ?? maxGraceSeconds);
      return runtime.StopContainer({
        containerId: id,
        timeout: Math.min(podSeconds, maxGraceSeconds),
      });
    }),
  );
}
