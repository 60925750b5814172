/** Upstream: pkg/kubelet/prober/worker.go. */
import type { PodStatus } from "#/api/core/v1.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import type { ProbeResult } from "../state/pod-services.ts";
import {
  countResult,
  freshProbe,
  type ProbeState,
  type ProbeSubject,
  probeStep,
} from "./probe-step.ts";
import type { ProbeOutcome, ProbeTarget } from "./run-probe.ts";

/** The parts that a worker uses. */
interface ProbeWorkerContext {
  readonly clock: Clock;
  /** Delay before the first probe (ms): workers of a kubelet that has just started spread out. */
  readonly firstDelayMs: number;
  status(): PodStatus | undefined;
  run(target: ProbeTarget): Promise<ProbeOutcome | undefined>;
  record(containerID: string, result: ProbeResult): void;
  forget(containerID: string): void;
  ended(): void;
}

/** Runs one kind of probe for one container periodically, until it is stopped. Never two probes at once. */
export class ProbeWorker {
  readonly #subject: ProbeSubject;
  readonly #context: ProbeWorkerContext;
  #state: ProbeState = freshProbe;
  #timer: Timer | undefined;
  #busy = false;
  #again = false;
  #stopped = false;

  constructor(subject: ProbeSubject, context: ProbeWorkerContext) {
    this.#subject = subject;
    this.#context = context;
    this.#timer = context.clock.setTimer(context.firstDelayMs, () => this.#turn());
  }

  /** Probes now; the next probe follows a period later. */
  trigger(): void {
    if (this.#busy) this.#again = true;
    else if (!this.#stopped) this.#turn();
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#timer?.cancel();
    if (this.#state.containerID !== "") this.#context.forget(this.#state.containerID);
    this.#context.ended();
  }

  #turn(): void {
    this.#timer?.cancel();
    this.#busy = true;
    const periodMs = (this.#subject.probe.periodSeconds ?? 10) * 1000;
    this.#timer = this.#context.clock.setTimer(periodMs, () => this.trigger());
    void this.#probe().finally(() => {
      this.#busy = false;
      if (!this.#again || this.#stopped) return;
      this.#again = false;
      this.#turn();
    });
  }

  async #probe(): Promise<void> {
    const { clock } = this.#context;
    const status = this.#context.status();
    const step = probeStep(this.#subject, status, this.#state, clock.now());
    this.#become(step.state);
    this.#record(step.record);
    if (step.action === "end") return this.stop();
    if (step.action === "wait") return;
    const { pod, container } = this.#subject;
    const outcome = await this.#context.run({
      pod,
      container,
      containerId: this.#state.containerID.replace(/^.*:\/\//, ""),
      podIP: status?.podIP ?? "",
    });
    if (outcome === undefined || this.#stopped) return;
    const result = outcome.result === "failure" ? "Failure" : "Success";
    const counted = countResult(this.#subject, this.#state, result);
    this.#state = counted.state;
    this.#record(counted.record);
  }

  #become(state: ProbeState): void {
    const before = this.#state.containerID;
    this.#state = state;
    if (before !== "" && before !== state.containerID) this.#context.forget(before);
  }

  #record(results: readonly ProbeResult[]): void {
    for (const result of results) this.#context.record(this.#state.containerID, result);
  }
}
