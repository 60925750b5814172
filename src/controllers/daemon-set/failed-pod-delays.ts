/** Upstream: pkg/controller/daemon/daemon_controller.go (failedPodsBackoff). */
import type { DaemonSet } from "#/api/apps/v1.ts";
import { keyOf } from "#/client/object-key.ts";
import type { Clock } from "#/std/time/clock.ts";

const firstMs = 1000;
const longestMs = 15 * 60 * 1000;

interface Delay {
  readonly sinceMs: number;
  readonly delayMs: number;
}

/** Holds back the replacement of pods that fail again and again on a node. */
export class FailedPodDelays {
  readonly #clock: Clock;
  /** By set, then by generation and node. */
  readonly #delays = new Map<string, Map<string, Delay>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a failed pod may be replaced now; if so, the next one on that node must wait longer. */
  mayReplace(set: DaemonSet, node: string): boolean {
    const nowMs = this.#clock.now();
    const delays = this.#delays.get(keyOf(set)) ?? new Map<string, Delay>();
    this.#delays.set(keyOf(set), delays);
    const key = `${set.metadata.uid}/${set.status?.observedGeneration}/${node}`;
    const last = delays.get(key);
    if (last && nowMs - last.sinceMs < last.delayMs) return false;
    const isStale = !last || nowMs - last.sinceMs > 2 * longestMs;
    const delayMs = isStale ? firstMs : Math.min(longestMs, 2 * last.delayMs);
    delays.set(key, { sinceMs: nowMs, delayMs });
    return true;
  }

  /** How long until the first of the delays that are running for a set is over. */
  nextMs(set: DaemonSet): number | undefined {
    const nowMs = this.#clock.now();
    const waits = [...(this.#delays.get(keyOf(set))?.values() ?? [])]
      .map(({ sinceMs, delayMs }) => sinceMs + delayMs - nowMs)
      .filter((ms) => ms > 0);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  /** Forgets a set that is no more. */
  forget(key: string): void {
    this.#delays.delete(key);
  }
}
