/** Upstream: pkg/kubelet/eviction/{eviction_manager,helpers}.go. */
import type { Pressure } from "../state/pressure.ts";
import { type Signal, type Threshold, thresholdBytes } from "../state/thresholds.ts";

/** The available amount of a resource, and its capacity. */
export interface Observation {
  readonly available: number;
  readonly capacity: number;
}

export type Observations = ReadonlyMap<Signal, Observation>;

/** The state between two runs. */
export interface EvictionState {
  /** Thresholds that are crossed, with the time since when. */
  readonly met: ReadonlyMap<Threshold, number>;
  /** When each kind of pressure was last observed. */
  readonly pressureSeenMs: ReadonlyMap<keyof Pressure, number>;
}

export const calm: EvictionState = { met: new Map(), pressureSeenMs: new Map() };

interface EvictionStep {
  readonly state: EvictionState;
  readonly pressure: Pressure;
  /** Thresholds that require an eviction, the most urgent first. */
  readonly due: readonly Threshold[];
}

const pressureOf: Readonly<Record<Signal, keyof Pressure>> = {
  "memory.available": "memory",
  "allocatableMemory.available": "memory",
  "nodefs.available": "disk",
  "nodefs.inodesFree": "disk",
  "imagefs.available": "disk",
  "imagefs.inodesFree": "disk",
  "containerfs.available": "disk",
  "containerfs.inodesFree": "disk",
  "pid.available": "pid",
};

/** Names of the resources of signals in messages. */
export const resourceOf: Readonly<Record<Signal, string>> = {
  "memory.available": "memory",
  "allocatableMemory.available": "memory",
  "nodefs.available": "ephemeral-storage",
  "nodefs.inodesFree": "inodes",
  "imagefs.available": "ephemeral-storage",
  "imagefs.inodesFree": "inodes",
  "containerfs.available": "ephemeral-storage",
  "containerfs.inodesFree": "inodes",
  "pid.available": "pids",
};

/** Whether there is less than a threshold allows; with `reclaim`, the minimum reclaim is added to the threshold. */
export function isCrossed(threshold: Threshold, seen: Observation, reclaim = false): boolean {
  let bytes = thresholdBytes(threshold.value, seen.capacity);
  if (reclaim && threshold.minReclaim) bytes += thresholdBytes(threshold.minReclaim, seen.capacity);
  return seen.available < bytes;
}

/** The next state, from the signals of the node. */
export function evictionStep(
  thresholds: readonly Threshold[],
  observations: Observations,
  state: EvictionState,
  { nowMs, transitionMs }: { nowMs: number; transitionMs: number },
): EvictionStep {
  const met = new Map<Threshold, number>();
  for (const threshold of thresholds) {
    const seen = observations.get(threshold.signal);
    const since = state.met.get(threshold);
    if (seen !== undefined && isCrossed(threshold, seen, since !== undefined)) {
      met.set(threshold, since ?? nowMs);
    }
  }
  const pressureSeenMs = new Map(state.pressureSeenMs);
  for (const { signal } of met.keys()) pressureSeenMs.set(pressureOf[signal], nowMs);
  const under = (kind: keyof Pressure) => {
    const seen = pressureSeenMs.get(kind);
    return seen !== undefined && (seen === nowMs || nowMs - seen < transitionMs);
  };
  const due = [...met]
    .filter(([threshold, since]) => nowMs - since >= threshold.gracePeriodMs)
    .map(([threshold]) => threshold)
    .sort(
      (a, b) =>
        Number(pressureOf[b.signal] === "memory") - Number(pressureOf[a.signal] === "memory"),
    );
  const pressure = { memory: under("memory"), disk: under("disk"), pid: under("pid") };
  return { state: { met, pressureSeenMs }, pressure, due };
}
