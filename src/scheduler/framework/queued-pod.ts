import type { Pod } from "#/api/core/v1.ts";
import { type PodInfo, podInfoOf, podKey } from "../cache/pod-info.ts";

/** A pod that waits to be scheduled, with what the queue knows of its past. Only the queue changes it. */
export interface QueuedPod {
  info: PodInfo;
  /** When it came to the queue, or came back after its last attempt. */
  timestampMs: number;
  /** Settles the order of those that came in the same millisecond. */
  order: number;
  /** When it was first ready to be tried; undefined if never. */
  initialAttemptMs: number | undefined;
  attempts: number;
  /** How often it fitted nowhere. */
  unschedulableCount: number;
  /** How often in a row something broke. */
  errorCount: number;
  /** Worked out from the counts when first asked for; undefined before. */
  backoffUntilMs: number | undefined;
  /** Who refused it last time. */
  unschedulablePlugins: ReadonlySet<string>;
  pendingPlugins: ReadonlySet<string>;
  /** The plugin that keeps it out of the active queue; "" if none. */
  gatedBy: string;
  /** Moved only because it had waited for too long. */
  flushed: boolean;
  flushedMs: number;
}

const none: ReadonlySet<string> = new Set();
let lastOrder = 0;

/** Later each time. */
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

/** All plugins that refused a pod last time. */
export function* rejectors(pod: QueuedPod): Generator<string, void> {
  yield* pod.unschedulablePlugins;
  for (const plugin of pod.pendingPlugins) {
    if (!pod.unschedulablePlugins.has(plugin)) yield plugin;
  }
}

/** Whether some plugin refused the pod last time, rather than something having broken. */
export const wasRejected = (pod: QueuedPod): boolean =>
  pod.unschedulablePlugins.size + pod.pendingPlugins.size > 0;
