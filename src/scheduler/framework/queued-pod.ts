import type { Pod } from "#/api/core/v1.ts";
import { type PodInfo, podInfoOf, podKey } from "../cache/pod-info.ts";

/** A pending pod with its history in the queue. Only the queue changes it. */
export interface QueuedPod {
  info: PodInfo;
  /** Time at which it was added to the queue, or returned after its last attempt. */
  timestampMs: number;
  /** The queue that it was put into last, and the event that did it. */
  queueName?: string;
  queueEvent?: string;
  /** Order of pods that were added in the same millisecond. */
  order: number;
  /** Time at which it was active first; undefined if never. */
  initialAttemptMs: number | undefined;
  attempts: number;
  /** Number of attempts in which it fitted nowhere. */
  unschedulableCount: number;
  /** Number of consecutive attempts with an internal error. */
  errorCount: number;
  /** Computed from the counts at first use; undefined before. */
  backoffUntilMs: number | undefined;
  /** Plugins that rejected it in the last attempt. */
  unschedulablePlugins: ReadonlySet<string>;
  pendingPlugins: ReadonlySet<string>;
  /** The plugin that keeps it out of the active queue; "" if none. */
  gatedBy: string;
  /** True if it was moved only because it had been unschedulable too long. */
  flushed: boolean;
  flushedMs: number;
}

const none: ReadonlySet<string> = new Set();
let lastOrder = 0;

/** Increases with each pod. */
export const nextOrder = (): number => ++lastOrder;

export function newQueuedPod(pod: Pod, nowMs: number): QueuedPod {
  return {
    info: podInfoOf(pod),
    timestampMs: nowMs,
    order: nextOrder(),
    initialAttemptMs: undefined,
    attempts: 0,
    unschedulableCount: 0,
    errorCount: 0,
    backoffUntilMs: undefined,
    unschedulablePlugins: none,
    pendingPlugins: none,
    gatedBy: "",
    flushed: false,
    flushedMs: 0,
  };
}

export const queuedPodKey = ({ info }: QueuedPod): string => podKey(info.pod);

/** All plugins that rejected a pod in the last attempt. */
export function* rejectors(pod: QueuedPod): Generator<string, void> {
  yield* pod.unschedulablePlugins;
  for (const plugin of pod.pendingPlugins) {
    if (!pod.unschedulablePlugins.has(plugin)) yield plugin;
  }
}

/** True if a plugin rejected the pod in the last attempt; false after an internal error. */
export const wasRejected = (pod: QueuedPod): boolean =>
  pod.unschedulablePlugins.size + pod.pendingPlugins.size > 0;
