import { pods } from "#/api/core/v1.ts";
import type { StepSink } from "#/client/journey/recorder.ts";
import type { Facts } from "#/machinery/journey/step.ts";
import type { PodInfo } from "./cache/pod-info.ts";
import type { Explanation } from "./explanation.ts";
import type { QueuedPod } from "./framework/queued-pod.ts";

/** Limits of what a step lists (count): /debug/explain has the rest. */
const maxRejections = 8;
const maxNodes = 5;
const maxScores = 3;

/** Reports what scheduling does with each pod, as steps of its journey. */
export class SchedulingSteps {
  readonly #sink: StepSink;

  constructor(sink: StepSink) {
    this.#sink = sink;
  }

  now(): number {
    return this.#sink.now();
  }

  /** An attempt that has placed the pod, or not. */
  attempted(queued: QueuedPod, explanation: Explanation, fromMs: number): void {
    if (!this.#sink.isOn) return;
    this.#waited(queued, fromMs);
    const isPlaced = explanation.result === "scheduled";
    this.#sink.add({
      ...stepOf(queued.info, "attempt"),
      fromMs,
      toMs: this.#sink.now(),
      outcome: isPlaced ? "ok" : "failed",
      ...(queued.attempts > 1 ? { attempt: queued.attempts } : {}),
      ...(isPlaced ? {} : { reason: reasonOf(explanation), message: explanation.message }),
      facts: attemptFacts(explanation),
    });
  }

  /** A pod is back in a queue, and waits for an event that helps it. */
  waits(queued: QueuedPod): void {
    if (!this.#sink.isOn) return;
    this.#sink.add({
      ...stepOf(queued.info, "queue"),
      fromMs: queued.timestampMs,
      outcome: "waiting",
      facts: queueFacts(queued),
    });
  }

  /** A pod is bound to its node. */
  bound({ info }: QueuedPod, node: string, fromMs: number): void {
    if (!this.#sink.isOn) return;
    const toMs = this.#sink.now();
    this.#sink.add({ ...stepOf(info, "bind"), fromMs, toMs, facts: { node } });
  }

  #waited(queued: QueuedPod, toMs: number): void {
    const fromMs = Math.min(queued.timestampMs, toMs);
    this.#sink.add({ ...stepOf(queued.info, "queue"), fromMs, toMs, facts: queueFacts(queued) });
  }
}

const stepOf = ({ namespace, name, uid }: PodInfo, step: string) => ({
  of: { resource: pods.name, namespace, name, uid },
  layer: "scheduling" as const,
  name: step,
});

const reasonOf = ({ result }: Explanation): string =>
  result === "unschedulable" ? "Unschedulable" : "SchedulerError";

const queueFacts = ({ queueName, queueEvent, gatedBy }: QueuedPod): Facts => ({
  ...(queueName === undefined ? {} : { queue: queueName }),
  ...(queueEvent === undefined ? {} : { hint: queueEvent }),
  ...(gatedBy === "" ? {} : { gatedBy }),
});

function attemptFacts({ node, rejected, scores, nodes, feasible }: Explanation): Facts {
  const refusals: Record<string, number> = {};
  for (const { plugin, count } of rejected) refusals[plugin] = (refusals[plugin] ?? 0) + count;
  return {
    ...(nodes === undefined ? {} : { nodes }),
    ...(feasible === undefined ? {} : { feasible }),
    ...(node === undefined ? {} : { node }),
    ...(rejected.length === 0 ? {} : { refusals, statuses: statusesOf(rejected) }),
    ...(scores.length === 0 ? {} : { scores: scores.slice(0, maxScores) }),
  };
}

const statusesOf = (rejected: Explanation["rejected"]) =>
  rejected.slice(0, maxRejections).map(({ plugin, reasons, count, nodes }) => ({
    plugin,
    reason: reasons.join(", "),
    count,
    nodes: nodes.slice(0, maxNodes),
  }));
