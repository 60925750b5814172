/** Upstream: pkg/kubelet/eviction/helpers.go, pkg/kubelet/eviction/defaults_linux.go. */
import { parseQuantity, type Quantity, quantityOf } from "#/machinery/values/quantity.ts";
import type { ResourceList } from "#/machinery/values/resource-list.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { goQuote } from "#/std/go/go-quote.ts";

const signals = [
  "memory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "containerfs.available",
  "containerfs.inodesFree",
  "allocatableMemory.available",
  "pid.available",
] as const;

/** A resource that a node may run short of. */
export type Signal = (typeof signals)[number];

/** An amount, or a share of the capacity. */
type ThresholdValue =
  | { readonly quantity: Quantity; readonly percentage?: undefined }
  | { readonly quantity?: undefined; readonly percentage: number };

/** Pods are evicted when the available amount is below this. */
export interface Threshold {
  readonly signal: Signal;
  readonly value: ThresholdValue;
  /** Grace period; 0 for none. */
  readonly gracePeriodMs: number;
  readonly minReclaim: ThresholdValue | undefined;
}

interface EvictionSettings {
  readonly evictionHard?: Readonly<Record<string, string>> | undefined;
  readonly evictionSoft?: Readonly<Record<string, string>> | undefined;
  readonly evictionSoftGracePeriod?: Readonly<Record<string, string>> | undefined;
  readonly evictionMinimumReclaim?: Readonly<Record<string, string>> | undefined;
  readonly mergeDefaultEvictionSettings?: boolean;
}

const defaultHard: Readonly<Record<string, string>> = {
  "memory.available": "100Mi",
  "nodefs.available": "10%",
  "nodefs.inodesFree": "5%",
  "imagefs.available": "15%",
  "imagefs.inodesFree": "5%",
};

/** The thresholds of a configuration, and the one on the memory of all pods. */
export function evictionThresholds(settings: EvictionSettings): Threshold[] {
  const hard = settings.mergeDefaultEvictionSettings
    ? { ...defaultHard, ...settings.evictionHard }
    : (settings.evictionHard ?? defaultHard);
  const reclaims = settings.evictionMinimumReclaim ?? {};
  const at = (signal: Signal, text: string, gracePeriodMs: number): Threshold[] => {
    if (text === "0%" || text === "100%") return [];
    const reclaim = reclaims[signal];
    const minReclaim = reclaim === undefined ? undefined : parseValue(reclaim);
    return [{ signal, value: parseValue(text), gracePeriodMs, minReclaim }];
  };
  const thresholds: Threshold[] = [];
  for (const [name, text] of Object.entries(hard)) thresholds.push(...at(signalOf(name), text, 0));
  for (const [name, text] of Object.entries(settings.evictionSoft ?? {})) {
    const grace = settings.evictionSoftGracePeriod?.[name];
    if (grace === undefined) {
      throw new Error(`grace period must be specified for the soft eviction threshold ${name}`);
    }
    thresholds.push(...at(signalOf(name), text, parseDuration(grace)));
  }
  for (const threshold of [...thresholds]) {
    if (threshold.signal === "memory.available" && threshold.gracePeriodMs === 0) {
      thresholds.push({ ...threshold, signal: "allocatableMemory.available" });
    }
  }
  return thresholds;
}

function signalOf(name: string): Signal {
  const found = signals.find((one) => one === name);
  if (found === undefined) throw new Error(`unsupported eviction signal ${name}`);
  return found;
}

function parseValue(text: string): ThresholdValue {
  if (!text.endsWith("%")) {
    const quantity = parseQuantity(text);
    if (quantity.sign < 0)
      throw new Error(`eviction threshold ${goQuote(text)} cannot be negative`);
    return { quantity };
  }
  const percentage = Number(text.slice(0, -1)) / 100;
  if (!Number.isFinite(percentage)) throw new Error(`invalid percentage ${goQuote(text)}`);
  if (percentage < 0) throw new Error("eviction percentage threshold cannot be negative");
  return { percentage };
}

/** The amount of a threshold, for this capacity. */
export function thresholdBytes(value: ThresholdValue, capacity: number): number {
  return value.quantity?.value() ?? Math.trunc(capacity * (value.percentage ?? 0));
}

/** The amounts that hard thresholds keep free of pods. */
export function hardReservations(
  thresholds: readonly Threshold[],
  capacity: ResourceList,
): ResourceList {
  const reserved: ResourceList = new Map();
  const resources: Partial<Record<Signal, string>> = {
    "memory.available": "memory",
    "nodefs.available": "ephemeral-storage",
  };
  for (const { signal, value, gracePeriodMs } of thresholds) {
    const name = resources[signal];
    if (name === undefined || gracePeriodMs > 0) continue;
    const bytes = thresholdBytes(value, capacity.get(name)?.value() ?? 0);
    reserved.set(name, quantityOf(bytes, "BinarySI"));
  }
  return reserved;
}
