import { type Container, type Pod, type PodStatus, pods } from "#/api/core/v1.ts";
import { noSteps, type StepReport, type StepSink } from "#/client/journey/recorder.ts";
import type { Facts } from "#/machinery/journey/step.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { formatTime } from "#/machinery/time/time.ts";
import type { ObservedContainer } from "./observed-pod.ts";
import { StartError } from "./start-error.ts";
import { isStaticPod } from "./static-pods.ts";

/** The kubelet's memory of a Pod's steps, so that nothing is reported twice. */
interface Known {
  /** Work that is reported once, after it has succeeded. */
  readonly done: Set<string>;
  /** The last result of each probe, and the end of each back-off. */
  readonly last: Map<string, string>;
  /** Values of variables that runtimes may quote, and the references that stand for them. */
  readonly hidden: Map<string, string>;
  /** When the last container was started (ms). */
  startedMs: number;
}

/** A back-off that is reported again ends at the same time, but for rounding (ms). */
const sameEndMs = 1500;
/** The signal of an exit code: 128 plus its number. */
const signalBase = 128;

/** Least length of a value that is hidden (characters): shorter ones are parts of many words. */
const leastHidden = 4;

/** Reports what this node does with each Pod, as steps of its journey. */
export class PodSteps {
  readonly #sink: StepSink;
  readonly #known = new Map<string, Known>();

  constructor(sink: StepSink = noSteps) {
    this.#sink = sink;
  }

  /** Does work that is one step; what it returns may give facts. */
  async run<T>(
    pod: Pod,
    name: string,
    work: () => Promise<T>,
    facts: (result: T | undefined) => Facts = () => ({}),
  ): Promise<T> {
    if (!this.#concerns(pod)) return work();
    const fromMs = this.#sink.now();
    try {
      const result = await work();
      this.#add(pod, { layer: "node", name, fromMs, toMs: this.#sink.now(), facts: facts(result) });
      return result;
    } catch (error) {
      if (!isBackOff(error)) this.#failed(pod, name, fromMs, error, facts(undefined));
      throw error;
    }
  }

  /** The same for work that is repeated: its first success is reported, and every failure. */
  async runOnce<T>(pod: Pod, name: string, work: () => Promise<T>): Promise<T> {
    if (!this.#concerns(pod)) return work();
    const { done } = this.#of(pod);
    if (!done.has(name)) {
      const result = await this.run(pod, name, work);
      done.add(name);
      return result;
    }
    const fromMs = this.#sink.now();
    return work().catch((error: unknown) => {
      done.delete(name);
      this.#failed(pod, name, fromMs, error, {});
      throw error;
    });
  }

  /** Values of the variables that a command refers to, which runtimes quote when they can't start it. */
  hideValues(
    pod: Pod,
    { command = [], args = [] }: Pick<Container, "command" | "args">,
    variables: readonly { readonly name: string; readonly value: string }[],
  ): void {
    if (!this.#concerns(pod)) return;
    const words = [...command, ...args].join(" ");
    const { hidden } = this.#of(pod);
    for (const { name, value } of variables) {
      if (value.length >= leastHidden && words.includes(`$(${name})`)) {
        hidden.set(value, `$(${name})`);
      }
    }
  }

  /** A container has been started. */
  started(pod: Pod): void {
    if (this.#concerns(pod)) this.#of(pod).startedMs = this.#sink.now();
  }

  /** A container waits before it is started again. */
  backsOff(pod: Pod, container: string, { reason, message, retryAfterMs = 0 }: StartError): void {
    if (!this.#concerns(pod)) return;
    const fromMs = this.#sink.now();
    const untilMs = fromMs + retryAfterMs;
    const { last } = this.#of(pod);
    const key = `back-off ${container}`;
    if (Math.abs(Number(last.get(key) ?? 0) - untilMs) < sameEndMs) return;
    last.set(key, String(untilMs));
    const facts = { container, until: formatTime(untilMs) };
    const outcome = "waiting";
    this.#add(pod, { layer: "node", name: "back-off", fromMs, outcome, reason, message, facts });
  }

  /** Something went wrong that is no step of its own. */
  warned(pod: Pod, reason: string, message: string, container: string | undefined): void {
    if (!this.#concerns(pod)) return;
    const atMs = this.#sink.now();
    this.#add(pod, {
      ...{ layer: "node", name: "warning", fromMs: atMs, toMs: atMs, outcome: "failed" },
      ...{ reason, message, ...(container === undefined ? {} : { facts: { container } }) },
    });
  }

  /** Containers as the runtime sees them: those that have ended are reported once. */
  observed(pod: Pod, containers: readonly ObservedContainer[]): void {
    if (!this.#concerns(pod)) return;
    const { done } = this.#of(pod);
    for (const container of containers) {
      const { id, name, state, exitCode, reason, finishedAtMs } = container;
      if (state !== "exited" || done.has(id)) continue;
      done.add(id);
      const signal = exitCode > signalBase ? exitCode - signalBase : undefined;
      this.#add(pod, {
        ...{ layer: "node", name: "exit", fromMs: finishedAtMs, toMs: finishedAtMs },
        ...{ outcome: exitCode === 0 ? "ok" : "failed", reason },
        facts: {
          ...{ container: name, exitCode, oomKilled: reason === "OOMKilled" },
          ...(signal === undefined ? {} : { signal }),
        },
      });
    }
  }

  /** A probe has ended; reported if its result is a new one. */
  probed(pod: Pod, container: string, probe: string, result: string, seconds: number): void {
    if (!this.#concerns(pod)) return;
    const { last } = this.#of(pod);
    const key = `${probe} ${container}`;
    if (last.get(key) === result) return;
    last.set(key, result);
    const toMs = this.#sink.now();
    const outcome = result === "Success" ? "ok" : "failed";
    const facts = { container, probe, result };
    const fromMs = toMs - seconds * 1000;
    this.#add(pod, { layer: "readiness", name: "probe", fromMs, toMs, outcome, facts });
  }

  /** A status is written: readiness is reported if it has changed. */
  written(pod: Pod, before: PodStatus | undefined, after: PodStatus, fromMs: number): void {
    if (!this.#concerns(pod)) return;
    const was = findCondition(before?.conditions, "Ready")?.status === "True";
    const ready = findCondition(after.conditions, "Ready");
    const is = ready?.status === "True";
    if (was === is) return;
    const { startedMs } = this.#of(pod);
    const toMs = this.#sink.now();
    this.#add(pod, {
      ...{ layer: "readiness", name: "ready", toMs },
      fromMs: is && startedMs > 0 ? Math.min(startedMs, fromMs) : fromMs,
      ...(is ? {} : { outcome: "failed", reason: ready?.reason, message: ready?.message }),
    });
  }

  now(): number {
    return this.#sink.now();
  }

  forget(podUID: string): void {
    this.#known.delete(podUID);
  }

  /** A static Pod has another UID than its mirror in the API. */
  #concerns(pod: Pod): boolean {
    return this.#sink.isOn && !isStaticPod(pod);
  }

  #of({ metadata: { uid = "" } }: Pod): Known {
    const known = this.#known.get(uid);
    if (known) return known;
    const made: Known = { done: new Set(), last: new Map(), hidden: new Map(), startedMs: 0 };
    this.#known.set(uid, made);
    return made;
  }

  #failed(pod: Pod, name: string, fromMs: number, error: unknown, facts: Facts): void {
    const reason = error instanceof StartError ? error.reason : undefined;
    const message = error instanceof Error ? error.message : String(error);
    const toMs = this.#sink.now();
    const outcome = "failed";
    this.#add(pod, { layer: "node", name, fromMs, toMs, outcome, reason, message, facts });
  }

  #add(pod: Pod, step: Omit<StepReport, "of">): void {
    const { name = "", namespace = "", uid = "" } = pod.metadata;
    const of = { resource: pods.name, namespace, name, uid };
    const { message } = step;
    this.#sink.add({
      of,
      ...step,
      ...(message === undefined ? {} : { message: this.#withoutValues(pod, message) }),
    });
  }

  #withoutValues(pod: Pod, message: string): string {
    let text = message;
    for (const [value, name] of this.#of(pod).hidden) text = text.replaceAll(value, () => name);
    return text;
  }
}

/** The end of a back-off is awaited; backsOff() reports it. */
const isBackOff = (error: unknown): boolean =>
  error instanceof StartError && error.retryAfterMs !== undefined;
