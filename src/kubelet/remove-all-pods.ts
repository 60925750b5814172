import { systemClock } from "#/std/time/clock.ts";
import { type Cri, connectRuntime } from "./cri/runtime-service.ts";
import { waitForRuntime } from "./cri/wait-for-runtime.ts";
import { terminationGraceAnnotation } from "./state/container-labels.ts";

/** How long a runtime may take to answer that was just started. */
const patienceMs = 30_000;

interface RemoveOptions {
  /** Limit of a container's termination grace period (seconds); 0 ends all at once. */
  readonly maxGraceSeconds: number;
  /** Whether what has ended stays in the runtime, as after a restart of the machine: the next kubelet reports how it ended. */
  readonly keepsEnded?: boolean;
}

/**
 * Stops and removes all pods of a node, their networks included: for a node that is taken down. What can't be removed now
 * is left, and said.
 */
export async function removeAllPods(
  endpoint: string,
  { maxGraceSeconds, keepsEnded = false }: RemoveOptions,
  signal: AbortSignal,
): Promise<void> {
  using cri = connectRuntime(endpoint);
  const late = new AbortController();
  using _timer = systemClock.setTimer(patienceMs, () =>
    late.abort(new Error(`the container runtime at ${endpoint} doesn't answer`)),
  );
  await waitForRuntime(cri, systemClock, AbortSignal.any([signal, late.signal]));
  // A sandbox that is stopped ends its containers without asking them first.
  if (maxGraceSeconds > 0) await stopContainers(cri, maxGraceSeconds);
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

/** Asks all containers to end, each for as long as its Pod allows; what goes wrong here shows when its sandbox is stopped. */
async function stopContainers({ runtime }: Cri, maxGraceSeconds: number): Promise<void> {
  const { containers } = await runtime.ListContainers({});
  await Promise.allSettled(
    containers.map(({ id, annotations }) => {
      const wanted = Number(annotations[terminationGraceAnnotation] ?? maxGraceSeconds);
      return runtime.StopContainer({
        containerId: id,
        timeout: Math.min(wanted, maxGraceSeconds),
      });
    }),
  );
}
