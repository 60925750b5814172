import { systemClock } from "#/std/clock.ts";
import { connectRuntime } from "./cri/runtime-service.ts";
import { waitForRuntime } from "./cri/wait-for-runtime.ts";

/** How long a runtime may take to answer that was just started. */
const patienceMs = 30_000;

/**
 * Stops and removes all pods of a node, their networks included: for a node that is taken down. What can't be removed now
 * is left, and said.
 */
export async function removeAllPods(endpoint: string, signal: AbortSignal): Promise<void> {
  using cri = connectRuntime(endpoint);
  const late = new AbortController();
  using _timer = systemClock.setTimer(patienceMs, () =>
    late.abort(new Error(`the container runtime at ${endpoint} doesn't answer`)),
  );
  await waitForRuntime(cri, systemClock, AbortSignal.any([signal, late.signal]));
  const { items } = await cri.runtime.ListPodSandbox({});
  const results = await Promise.allSettled(
    items.map(async ({ id }) => {
      await cri.runtime.StopPodSandbox({ podSandboxId: id });
      await cri.runtime.RemovePodSandbox({ podSandboxId: id });
    }),
  );
  const failed = results.filter((result) => result.status === "rejected");
  if (failed[0]) {
    throw new Error(`${failed.length} pods could not be removed: ${failed[0].reason}`);
  }
}
