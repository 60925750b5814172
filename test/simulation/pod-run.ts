import { type Pod, type PodStatus, pods } from "#/api/core/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { formatTime } from "#/machinery/time/time.ts";
import type { Timer } from "#/std/time/clock.ts";
import type { NodeOptions } from "./node.ts";
import { isTerminal, nameOf } from "./pods.ts";
import { repeatUntilDone } from "./repeat-until-done.ts";

/** Label of Pods that end by themselves, with the seconds they run; prefix "fail" if they fail. */
export const runLabel = "simulation/run";

type State = "new" | "running" | "ready" | "ended" | "stopping";

/** One Pod on a node, from its start to its end. */
export class PodRun {
  readonly #options: NodeOptions;
  readonly #cancelled = new AbortController();
  #pod: Pod;
  #state: State = "new";
  #timer: Timer | undefined;

  constructor(pod: Pod, options: NodeOptions) {
    this.#pod = pod;
    this.#options = options;
    if (isTerminal(pod)) this.#state = "ended";
    else if (hasCondition(pod.status?.conditions, "Ready")) this.#state = "ready";
    else if (pod.status?.phase === "Running") this.#state = "running";
  }

  /** Reads the Pod and takes the next step. */
  sync(pod: Pod): void {
    const isFirst = this.#pod === pod;
    this.#pod = pod;
    if (pod.metadata.deletionTimestamp !== undefined) {
      if (this.#state !== "stopping") this.#stopSoon();
      return;
    }
    if (isFirst) this.#startNextStep();
    else if (this.#state === "ready" && !hasCondition(pod.status?.conditions, "Ready")) {
      // The node controller has set it to not ready, because our heartbeats were missing.
      void this.#report("ready");
    }
  }

  cancel(): void {
    this.#cancelled.abort();
    this.#timer?.cancel();
  }

  /** Kills a container, which is then restarted. */
  crash(): void {
    if (this.#state !== "ready") return;
    this.#options.trace.add(this.#options.name, `container of ${nameOf(this.#pod)} dies`);
    this.#state = "running";
    void this.#report("running");
    this.#after(500, 8_000, () => this.#becomeReady());
  }

  #startNextStep(): void {
    if (this.#state === "new") this.#after(50, 3_000, () => this.#run());
    else if (this.#state === "running") this.#after(50, 5_000, () => this.#becomeReady());
    else if (this.#state === "ready") this.#endLater();
  }

  #run(): void {
    this.#state = "running";
    void this.#report("running");
    this.#after(50, 6_000, () => this.#becomeReady());
  }

  #becomeReady(): void {
    this.#state = "ready";
    void this.#report("ready");
    this.#endLater();
  }

  #endLater(): void {
    const seconds = Number(/\d+$/.exec(this.#pod.metadata.labels?.[runLabel] ?? "")?.[0]);
    if (!Number.isFinite(seconds)) return;
    this.#after(seconds * 500, seconds * 1_500, () => {
      this.#state = "ended";
      void this.#report("ended");
    });
  }

  #stopSoon(): void {
    const wasEnded = this.#state === "ended";
    this.#state = "stopping";
    const graceMs = (this.#pod.metadata.deletionGracePeriodSeconds ?? 0) * 1_000;
    this.#after(0, Math.min(graceMs, 5_000), async () => {
      if (!wasEnded) await this.#report("stopping");
      const { uid = "" } = this.#pod.metadata;
      const { namespace, name = "" } = this.#pod.metadata;
      const options = { gracePeriodSeconds: 0, preconditions: { uid } };
      await this.#try(() => this.#options.client.delete(pods, { namespace, name }, options));
    });
  }

  async #report(state: State): Promise<void> {
    const { namespace, name = "", uid } = this.#pod.metadata;
    const status = this.#statusOf(state);
    const patch = { metadata: { uid }, status };
    await this.#try(async () => {
      if (this.#state !== state) return; // A later report is under way.
      await this.#options.client.patchStatus(pods, { namespace, name }, patch);
    });
  }

  #statusOf(state: State): PodStatus {
    const time = formatTime(this.#options.clock.now());
    const isOn = state === "ready" ? "True" : "False";
    const conditions = ["Ready", "ContainersReady"].map((type) => ({
      type,
      status: isOn,
      lastTransitionTime: time,
    }));
    const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: time };
    return {
      phase: this.#phaseOf(state),
      startTime: this.#pod.status?.startTime ?? time,
      podIP: "10.1.2.3",
      conditions: [
        scheduled,
        { type: "Initialized", status: "True", lastTransitionTime: time },
        ...conditions,
      ],
    };
  }

  #phaseOf(state: State): NonNullable<PodStatus["phase"]> {
    if (state === "stopping") return "Failed";
    if (state !== "ended") return "Running";
    return this.#pod.metadata.labels?.[runLabel]?.startsWith("fail") ? "Failed" : "Succeeded";
  }

  #after(leastMs: number, mostMs: number, run: () => void): void {
    const { clock, dice } = this.#options;
    this.#timer?.cancel();
    this.#timer = clock.setTimer(dice.between(leastMs, mostMs), run);
  }

  /** Writes until it succeeds or the Pod is gone. */
  async #try(write: () => Promise<unknown>): Promise<void> {
    const { clock } = this.#options;
    const isDone = (error: unknown) => isNotFound(error);
    await repeatUntilDone(write, { clock, signal: this.#cancelled.signal, isDone });
  }
}
