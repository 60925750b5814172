/** Upstream: pkg/kubelet/pleg/generic.go, pkg/kubelet/pleg/evented.go. */

import { GrpcError } from "#/std/grpc/grpc.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { RuntimeService } from "../cri/runtime-service.ts";
import type { PodSandboxStatus } from "../cri/sandbox-messages.ts";
import { Listeners } from "../state/listeners.ts";
import type { ObservedPod } from "../state/observed-pod.ts";
import type { PodObservation, RuntimePod } from "./observe-pod.ts";

const log = logger("kubelet");

/** Interval of lists without events from the runtime, as upstream's. */
const relistMs = 1_000;
/** Interval of lists with events, only to find missed ones; and without Pods, which only this process would add. */
const rareRelistMs = 10_000;
/** Limit of the time since the last list (ms): a runtime that could not be listed for longer is unhealthy. */
const relistThresholdMs = 180_000;
const retryEventsMs = 5_000;

/** What this needs of a node's pods. */
type Observation = Pick<
  PodObservation,
  "listAll" | "observe" | "detail" | "withSandbox" | "keepOnly"
>;

/**
 * The last observed pods of the runtime: by its stream of events if it has one, else by listing all once a
 * second as long as there are some.
 */
export class RuntimeWatch {
  readonly #runtime: Pick<RuntimeService, "GetContainerEvents">;
  readonly #observation: Observation;
  readonly #clock: Clock;
  readonly #changes = new Listeners<[podUID: string]>();
  readonly #pods = new Map<string, ObservedPod>();
  #signatures = new Map<string, string>();
  #lastRelistMs = 0;
  #hasEvents = false;
  /** Ends a pause between lists that is too long for the first pod. */
  #wake: (() => void) | undefined;

  constructor(
    runtime: Pick<RuntimeService, "GetContainerEvents">,
    observation: Observation,
    clock: Clock,
  ) {
    this.#runtime = runtime;
    this.#observation = observation;
    this.#clock = clock;
  }

  /** The listener is called for each pod whose containers or sandboxes have changed. */
  subscribe(listener: (podUID: string) => void): Disposable {
    return this.#changes.add(listener);
  }

  /** The last observed state. */
  get(uid: string): ObservedPod | undefined {
    return this.#pods.get(uid);
  }

  all(): readonly ObservedPod[] {
    return [...this.#pods.values()];
  }

  /** Reads the state from the runtime now. */
  async refresh(uid: string): Promise<ObservedPod> {
    const observed = await this.#observation.observe(uid);
    this.#keep(observed);
    return observed;
  }

  /** The last observed state, with a sandbox that was just created. */
  withSandbox(pod: ObservedPod, status: PodSandboxStatus): ObservedPod {
    const observed = this.#observation.withSandbox(pod, status);
    this.#keep(observed);
    return observed;
  }

  /** Why the runtime is unhealthy, in upstream's words; undefined if it is healthy. */
  problem(): string | undefined {
    const elapsedMs = this.#clock.monotonicMs() - this.#lastRelistMs;
    if (elapsedMs <= relistThresholdMs) return undefined;
    const seconds = Math.round(elapsedMs / 1000);
    return `PLEG is not healthy: pleg was last seen active ${seconds}s ago; threshold is 3m0s`;
  }

  /** Lists all pods once, so that running ones are known. */
  async relist(): Promise<void> {
    const listed = await this.#observation.listAll();
    const signatures = new Map([...listed].map(([uid, pod]) => [uid, signatureOf(pod)]));
    const old = this.#signatures;
    this.#signatures = signatures;
    this.#lastRelistMs = this.#clock.monotonicMs();
    for (const [uid, pod] of listed) {
      if (old.get(uid) === signatures.get(uid) && this.#pods.has(uid)) continue;
      this.#keep(await this.#observation.detail(pod));
      this.#changes.notify(uid);
    }
    for (const uid of old.keys()) {
      if (signatures.has(uid)) continue;
      this.#pods.delete(uid);
      this.#changes.notify(uid);
    }
    this.#observation.keepOnly(listed.values());
  }

  /** Watches until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const events = this.#followEvents(signal);
    while (!signal.aborted) {
      await this.#pause(signal);
      if (signal.aborted) break;
      await this.relist().catch((error) => {
        if (!signal.aborted) log.error(error, "GenericPLEG: Unable to retrieve pods");
      });
    }
    await events;
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const isEmpty = this.#pods.size === 0 && this.#signatures.size === 0;
    const first = new AbortController();
    if (isEmpty && !this.#hasEvents) this.#wake = () => first.abort();
    const ms = isEmpty || this.#hasEvents ? rareRelistMs : relistMs;
    await this.#clock.sleep(ms, AbortSignal.any([signal, first.signal])).catch(() => undefined);
    this.#wake = undefined;
  }

  async #followEvents(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const event of this.#runtime.GetContainerEvents({}, { signal })) {
          this.#hasEvents = true;
          const uid = event.podSandboxStatus?.metadata?.uid;
          // The worker of the pod reads the rest.
          if (uid) this.#changes.notify(uid);
        }
      } catch (error) {
        this.#hasEvents = false;
        // A runtime without events will never send any.
        if (error instanceof GrpcError && error.code === "UNIMPLEMENTED") return;
        if (!signal.aborted)
          log.v(4, "runtime sends no container events", { error: String(error) });
      }
      this.#hasEvents = false;
      await this.#clock.sleep(retryEventsMs, signal).catch(() => undefined);
    }
  }

  #keep(observed: ObservedPod): void {
    const empty = observed.sandboxes.length === 0 && observed.containers.length === 0;
    if (empty) return void this.#pods.delete(observed.uid);
    this.#pods.set(observed.uid, observed);
    this.#wake?.();
  }
}

function signatureOf({ sandboxes, containers }: RuntimePod): string {
  return [...sandboxes, ...containers].map(({ id, state }) => `${id}=${state}`).join(" ");
}
