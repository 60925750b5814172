import { formatDuration } from "#/std/go/duration.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import { type Rejection, reject } from "./framework/rejection.ts";

/** Limit of the time (ms) that a plugin lets a pod wait: upstream's maximum. */
const maxPermitWaitMs = 15 * 60_000;

/** The step of a pod that is being bound; in the latter two it can be rejected. */
type Stage =
  | { readonly kind: "waiting"; readonly waits: Map<string, Timer>; readonly settle: Settle }
  | { readonly kind: "preparing"; readonly controller: AbortController }
  | { readonly kind: "binding" };

type Settle = (rejection: Rejection | undefined) => void;

/**
 * Pods that have a node and are not bound yet: they wait for Permit, then run PreBind.
 *
 * Upstream: pkg/scheduler/framework/runtime/waiting_pods_map.go, pods_in_prebind_map.go.
 */
export class BindingsInProgress {
  readonly #clock: Clock;
  readonly #stages = new Map<string, Stage>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#stages.size;
  }

  isWaiting(uid: string): boolean {
    return this.#stages.get(uid)?.kind === "waiting";
  }

  /** Resolves with undefined once every plugin allows the pod, or with the first rejection or timeout. */
  waitForPermission(
    uid: string,
    waitsMs: ReadonlyMap<string, number>,
  ): Promise<Rejection | undefined> {
    return new Promise((resolve) => {
      const waits = new Map<string, Timer>();
      const settle: Settle = (rejection) => {
        for (const timer of waits.values()) timer.cancel();
        this.#stages.delete(uid);
        resolve(rejection);
      };
      for (const [plugin, wanted] of waitsMs) {
        const waitMs = Math.min(wanted, maxPermitWaitMs);
        const text = `rejected due to timeout after waiting ${formatDuration(waitMs)} at plugin ${plugin}`;
        waits.set(
          plugin,
          this.#clock.setTimer(waitMs, () => settle(reject(plugin, text))),
        );
      }
      this.#stages.set(uid, { kind: "waiting", waits, settle });
    });
  }

  /** Allows the pod on behalf of one plugin. */
  allow(uid: string, plugin: string): void {
    const stage = this.#stages.get(uid);
    if (stage?.kind !== "waiting") return;
    stage.waits.get(plugin)?.cancel();
    stage.waits.delete(plugin);
    if (stage.waits.size === 0) stage.settle(undefined);
  }

  /** Starts PreBind; the signal aborts if the pod is rejected in the meantime. */
  prepare(uid: string): AbortSignal {
    const controller = new AbortController();
    this.#stages.set(uid, { kind: "preparing", controller });
    return controller.signal;
  }

  /** From here on the pod can't be rejected. */
  startBinding(uid: string): void {
    this.#stages.set(uid, { kind: "binding" });
  }

  end(uid: string): void {
    this.#stages.delete(uid);
  }

  /** Rejects a pod that waits for Permit or is in PreBind; false if it is in neither. */
  cancel(uid: string, plugin: string, message: string): boolean {
    const stage = this.#stages.get(uid);
    if (stage?.kind === "waiting") {
      stage.settle(reject(plugin, message));
      return true;
    }
    if (stage?.kind !== "preparing") return false;
    stage.controller.abort(new Error(message));
    return true;
  }
}
