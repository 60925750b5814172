import { type Pod, type PodCondition, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { podInfoOf, podKey } from "./cache/pod-info.ts";
import { type Explanations, explainAttempt } from "./explanation.ts";
import type { EventSink } from "./framework/context.ts";
import { FitError, NoNodesError } from "./framework/fit-error.ts";
import { patchPodStatus } from "./framework/pod-status.ts";
import type { QueuedPod } from "./framework/queued-pod.ts";
import type { SchedulerMetrics } from "./metrics.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";
import type { SchedulingSteps } from "./scheduling-steps.ts";
import { truncateNote } from "./truncate-note.ts";
import { podInformerOptions } from "./watch-cluster.ts";

const log = logger("scheduler");

interface FailureOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly informers: Informers;
  readonly metrics: SchedulerMetrics;
  readonly record: EventSink;
  readonly queue: SchedulingQueue;
  readonly explanations: Explanations;
  readonly steps: SchedulingSteps;
}

/** A failed scheduling attempt. */
interface Failure {
  readonly profile: string;
  readonly error: unknown;
  /** The new nominated node; "" clears the nomination, undefined keeps it. */
  readonly nominated: string | undefined;
  /** Start of the attempt, on the monotonic clock (ms). */
  readonly startMs: number;
  /** The same as the time of steps. */
  readonly fromMs: number;
}

/**
 * Returns pods that could not be placed to the queue, and records the reason: metrics, event, condition, explanation.
 *
 * Upstream: pkg/scheduler/schedule_one.go (handleSchedulingFailure).
 */
export class FailureHandler {
  readonly #options: FailureOptions;

  constructor(options: FailureOptions) {
    this.#options = options;
  }

  handle(queued: QueuedPod, { profile, error, nominated, startMs, fromMs }: Failure): void {
    const { metrics, explanations, clock, steps } = this.#options;
    const { pod } = queued.info;
    const isRefused = error instanceof FitError || error instanceof NoNodesError;
    const message = fullMessage(error);
    const result = isRefused ? "unschedulable" : "error";
    metrics.attempt(result, profile, startMs);
    if (isRefused) log.v(2, "unable to schedule pod; waiting", { pod: podKey(pod), message });
    else log.error(error, "error scheduling pod; retrying", { pod: podKey(pod) });
    const diagnosis = error instanceof FitError ? error.diagnosis : undefined;
    queued.unschedulablePlugins = new Set(diagnosis?.unschedulablePlugins);
    queued.pendingPlugins = new Set(diagnosis?.pendingPlugins);
    const outcome = { result, message, diagnosis, timeMs: clock.now() } as const;
    const explanation = explainAttempt(queued, outcome);
    explanations.set(explanation);
    steps.attempted(queued, explanation, fromMs);
    const now = this.#requeue(queued);
    if (now === undefined) return;
    steps.waits(queued);
    if (!now.spec.nodeName) this.#options.queue.nominated.set(queued.info, nominated);
    this.recordReason(now, message);
    this.#report(now, isRefused ? "Unschedulable" : "SchedulerError", message, nominated);
  }

  /** Records why a pod is not scheduled. */
  recordReason(pod: Pod, message: string): void {
    this.#options.record({
      regarding: pod,
      type: "Warning",
      reason: "FailedScheduling",
      action: "Scheduling",
      note: truncateNote(message),
    });
  }

  /** Requeues a pod if it is still the one that was tried and has no node; undefined if it was deleted. */
  #requeue(queued: QueuedPod): Pod | undefined {
    const { informers, queue } = this.#options;
    const { pod, uid, namespace, name } = queued.info;
    const now = informers.informer(pods, podInformerOptions).store.get(namespace, name);
    if (now === undefined || now.metadata.uid !== uid || now.spec.nodeName) {
      queue.done(uid);
      return now?.metadata.uid === uid ? now : undefined;
    }
    if (now !== pod) queued.info = podInfoOf(now);
    queue.addUnschedulable(queued);
    return now;
  }

  #report(pod: Pod, reason: string, message: string, nominated: string | undefined): void {
    const { generation } = pod.metadata;
    const condition: Omit<PodCondition, "lastTransitionTime"> = {
      type: "PodScheduled",
      status: "False",
      reason,
      message,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
    const nominatedNodeName = nominated === "" ? null : nominated;
    const change = { condition, ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }) };
    patchPodStatus(this.#options, pod, change).catch((error: unknown) => {
      log.error(error, "error updating pod", { pod: podKey(pod) });
    });
  }
}

/** The text of a fit error is computed again, since PostFilter has added to its diagnosis. */
function fullMessage(error: unknown): string {
  if (error instanceof FitError) return new FitError(error.diagnosis).message;
  return error instanceof Error ? error.message : String(error);
}
