/** Upstream: pkg/kubelet/pod_workers.go. */
import type { Pod } from "#/api/core/v1.ts";
import { type Random, systemRandom } from "#/std/base/random.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import { step, type WorkerInput, type WorkerState } from "../plan/worker-state.ts";
import { describePod } from "../state/pod-containers.ts";
import type { Eviction } from "../state/pod-services.ts";

const log = logger("kubelet");

/** Delay after which a pod is synced again without an event (ms), and up to half of it more. */
const resyncMs = 60_000;
const resyncJitter = 0.5;
const failureMs = 10_000;
/** Delay after a failed call to an unavailable runtime (ms): one that restarts is soon available again. */
const unavailableMs = 1_000;

/** The work in each state. A call that throws is repeated later. */
export interface PodWork {
  /** Resolves to whether all containers have ended for good, and when to sync again. */
  sync(pod: Pod, signal: AbortSignal): Promise<SyncOutcome>;
  /** Stops all containers. Called again with a shorter grace period when the signal has aborted. */
  stop(pod: Pod, state: WorkerState & { kind: "terminating" }, signal: AbortSignal): Promise<void>;
  settle(pod: Pod, signal: AbortSignal): Promise<void>;
}

export interface SyncOutcome {
  readonly ended: boolean;
  readonly afterMs?: number | undefined;
}

/** Thrown by work that knows when to try again. */
export class RetryLater extends Error {
  override readonly name = "RetryLater";
  readonly afterMs: number;

  constructor(message: string, afterMs: number, options?: ErrorOptions) {
    super(message, options);
    this.afterMs = afterMs;
  }
}

interface PodWorkerOptions {
  readonly work: PodWork;
  readonly clock: Clock;
  readonly random?: Random;
  /** Called after each change of the state. */
  changed(worker: PodWorker): void;
}

/** Does the work on a pod, one step at a time, from its first container until all is removed. */
export class PodWorker {
  readonly #options: PodWorkerOptions;
  readonly #ended = Promise.withResolvers<void>();
  #pod: Pod;
  #state: WorkerState = { kind: "syncing" };
  #working = false;
  #again = false;
  #timer: Timer | undefined;
  #current = new AbortController();
  #closed = false;

  constructor(pod: Pod, options: PodWorkerOptions) {
    this.#pod = pod;
    this.#options = options;
  }

  get pod(): Pod {
    return this.#pod;
  }

  get state(): WorkerState {
    return this.#state;
  }

  /** Resolves when no container of the pod runs any more. */
  get stopped(): Promise<void> {
    return this.#ended.promise;
  }

  /** Handles a pod that is new, or has changed so that it has to be synced. */
  update(pod: Pod): void {
    this.follow(pod);
    this.wake();
  }

  /** Handles a pod that has changed, perhaps in its status alone: it is synced if its state changes. */
  follow(pod: Pod): void {
    const before = this.#state;
    this.#pod = pod;
    this.#take({ kind: "update", pod });
    if (this.#state !== before) this.wake();
  }

  /** Ends the pod, whatever its spec says. */
  end(eviction?: Eviction): void {
    this.#take({ kind: "end", pod: this.#pod, eviction });
    this.wake();
  }

  /** Wakes the worker: something has happened that concerns the pod. */
  wake(): void {
    if (this.#closed || this.#state.kind === "finished") return;
    if (this.#working) this.#again = true;
    else void this.#run();
  }

  /** Starts no more work. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#current.abort();
  }

  #take(input: WorkerInput): void {
    const before = this.#state;
    this.#state = step(before, input);
    if (this.#state === before) return;
    // Work of an earlier state is cancelled, and so is a stop with a longer grace period than is left.
    if (input.kind !== "done") this.#current.abort();
    if (this.#state.kind === "terminated") this.#ended.resolve();
    this.#options.changed(this);
  }

  async #run(): Promise<void> {
    this.#working = true;
    this.#timer?.cancel();
    do {
      this.#again = false;
      this.#current = new AbortController();
      const afterMs = await this.#workOnce(this.#current.signal);
      if (this.#closed || this.#state.kind === "finished") break;
      if (!this.#again) this.#schedule(afterMs);
    } while (this.#again);
    this.#working = false;
  }

  async #workOnce(signal: AbortSignal): Promise<number> {
    try {
      return await this.#workInState(signal);
    } catch (error) {
      if (signal.aborted) {
        this.#again = true;
        return 0;
      }
      const details = { pod: describePod(this.#pod), state: this.#state.kind };
      if (error instanceof RetryLater) {
        log.v(2, "Error syncing pod, skipping", { ...details, error: error.message });
        return Math.min(error.afterMs, resyncMs);
      }
      log.error(error, "Error syncing pod, skipping", details);
      return isUnavailable(error) ? unavailableMs : failureMs;
    }
  }

  async #workInState(signal: AbortSignal): Promise<number> {
    const { work, random = systemRandom } = this.#options;
    switch (this.#state.kind) {
      case "syncing": {
        const { ended, afterMs = resyncMs * (1 + resyncJitter * random()) } = await work.sync(
          this.#pod,
          signal,
        );
        if (ended) this.#take({ kind: "end", pod: this.#pod });
        if (ended) this.#again = true;
        return afterMs;
      }
      case "terminating":
        await work.stop(this.#pod, this.#state, signal);
        if (signal.aborted) this.#again = true;
        else this.#advance();
        return 0;
      case "terminated":
        await work.settle(this.#pod, signal);
        this.#advance();
        return 0;
      case "finished":
        return 0;
    }
  }

  #advance(): void {
    this.#take({ kind: "done" });
    this.#again = true;
  }

  #schedule(afterMs: number): void {
    this.#timer = this.#options.clock.setTimer(afterMs, () => this.wake(), { keepAlive: false });
  }
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof GrpcError) return error.code === "UNAVAILABLE";
  return error instanceof Error && error.cause !== undefined && isUnavailable(error.cause);
}
