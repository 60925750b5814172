/** Upstream: pkg/controller/daemon/daemon_controller.go (failedPodsBackoff). */
import type { DaemonSet } from "#/api/apps/v1.ts";
import { keyOf } from "#/client/object-key.ts";
import type { Clock } from "#/std/time/clock.ts";

const firstMs = 1000;
const longestMs = 15 * 60 * 1000;
/** Age from which a delay has no effect (ms). */
const staleMs = 2 * longestMs;

interface Delay {
  readonly sinceMs: number;
  readonly delayMs: number;
}

/** Delays the replacement of Pods that fail repeatedly on a node. */
export class FailedPodDelays {
  readonly #clock: Clock;
  /** By set, then by generation and node. */
  readonly #delays = new Map<string, Map<string, Delay>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a failed Pod may be replaced now; if so, the next one on that node waits longer. */
  mayReplace(set: DaemonSet, node: string): boolean {
    const nowMs = this.#clock.now();
    const delays = this.#delays.get(keyOf(set)) ?? new Map<string, Delay>();
    this.#delays.set(keyOf(set), delays);
    const key = `${set.metadata.uid}/${set.status?.observedGeneration}/${node}`;
    const last = delays.get(key);
    if (last && nowMs - last.sinceMs < last.delayMs) return false;
    // Nodes and generations come and go.
    for (const [old, { sinceMs }] of delays) if (nowMs - sinceMs > staleMs) delays.delete(old);
    const delayMs = last && delays.has(key) ? Math.min(longestMs, 2 * last.delayMs) : firstMs;
    delays.set(key, { sinceMs: nowMs, delayMs });
    return true;
  }

  /** Time until the first running delay of a set ends. */
  nextMs(set: DaemonSet): number | undefined {
    const nowMs = this.#clock.now();
    const waits = [...(this.#delays.get(keyOf(set))?.values() ?? [])]
      .map(({ sinceMs, delayMs }) => sinceMs + delayMs - nowMs)
      .filter((ms) => ms > 0);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  /** Drops the delays of a deleted set. */
  forget(key: string): void {
    this.#delays.delete(key);
  }
}
