/** Upstream: pkg/kubelet/pod_workers.go (killPodNow). */
import type { Pod } from "#/api/core/v1.ts";
import { orAborted } from "#/std/async/aborted.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { PodEvents } from "../state/pod-events.ts";
import type { Eviction } from "../state/pod-services.ts";
import type { PodWorker } from "./pod-worker.ts";

/** Waits until the containers of an evicted pod have ended. Rejects if that takes too long; the worker goes on. */
export async function waitForEnd(
  { pod, stopped }: Pick<PodWorker, "pod" | "stopped">,
  eviction: Eviction,
  { clock, events }: { readonly clock: Clock; readonly events: PodEvents },
): Promise<void> {
  const late = new AbortController();
  using _timer = clock.setTimer(limitMs(pod, eviction), () => late.abort());
  await orAborted(stopped, late.signal).catch(() => {
    const message = "Container runtime did not kill the pod within specified grace period.";
    events.record(pod, { type: "Warning", reason: "ExceededGracePeriod", message });
    throw new Error("timeout waiting to kill pod");
  });
}

/** Least limit of the wait (s): calls to the runtime take their time even without a grace period. */
const minLimitSeconds = 10;

/** Limit of the wait (ms): the grace period and half of it more. */
function limitMs({ spec }: Pod, { gracePeriodSeconds }: Eviction): number {
  const grace = gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 0;
  return Math.max(minLimitSeconds, grace * 1.5) * 1000;
}
