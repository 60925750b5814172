import { formatDuration } from "#/std/go/duration.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import { type Rejection, reject } from "./framework/rejection.ts";

/** A plugin may let a pod wait for so long at most. */
const maxPermitWaitMs = 15 * 60_000;

/** What a pod that is being bound is doing; the latter two can be given up. */
type Stage =
  | { readonly kind: "waiting"; readonly waits: Map<string, Timer>; readonly settle: Settle }
  | { readonly kind: "preparing"; readonly controller: AbortController }
  | { readonly kind: "binding" };

type Settle = (rejection: Rejection | undefined) => void;

/**
 * Pods that have a node and are not bound yet: they wait for plugins' permission, then PreBind prepares what they need.
 *
 * Upstream: kubernetes/pkg/scheduler/framework/runtime/waiting_pods_map.go, pods_in_prebind_map.go.
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

  /** Resolves with undefined once every plugin allows the pod, or with the first refusal or timeout. */
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

  /** One plugin gives its permission. */
  allow(uid: string, plugin: string): void {
    const stage = this.#stages.get(uid);
    if (stage?.kind !== "waiting") return;
    stage.waits.get(plugin)?.cancel();
    stage.waits.delete(plugin);
    if (stage.waits.size === 0) stage.settle(undefined);
  }

  /** Begins PreBind; the signal aborts if the pod is given up meanwhile. */
  prepare(uid: string): AbortSignal {
    const controller = new AbortController();
    this.#stages.set(uid, { kind: "preparing", controller });
    return controller.signal;
  }

  /** From here on the pod can't be given up. */
  startBinding(uid: string): void {
    this.#stages.set(uid, { kind: "binding" });
  }

  end(uid: string): void {
    this.#stages.delete(uid);
  }

  /** Gives up a pod that waits or is being prepared; false if it is too late or too early for that. */
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
