import { parseMicroTime } from "../time/time.ts";
import { type Journey, type Layer, layers, type Outcome, type Step } from "./step.ts";
import { isSetBack, endMs as stepEndMs } from "./step-length.ts";

/** The part of a journey in one layer. Times in milliseconds since 1970. */
export interface LayerPart {
  readonly layer: Layer;
  readonly steps: readonly Step[];
  readonly fromMs: number;
  readonly toMs: number;
  /** The time in which at least one step ran or waited. */
  readonly busyMs: number;
  readonly outcome: Outcome;
}

/** A time of which there is no report. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
  /** The last step before it, and the first one after it. */
  readonly after: Step;
  readonly before: Step;
}

/** What a journey says as a whole. */
export interface Analysis {
  readonly startMs: number;
  readonly endMs: number;
  /** When it was ready, if it was. */
  readonly readyMs: number | undefined;
  readonly layers: readonly LayerPart[];
  /** Layers without a step. */
  readonly missing: readonly Layer[];
  readonly gaps: readonly Gap[];
  /** The part of the time from the start to readiness (or the end) that steps explain: 0 to 1. */
  readonly explained: number;
  readonly skews: readonly Skew[];
  /** Reporters whose clocks were set back during a step: its length is not known. */
  readonly setBack: readonly string[];
}

/** A clock that is not that of the API server. */
interface Skew {
  readonly by: string;
  /** The least difference (ms): ahead if positive. */
  readonly ms: number;
}

/** Gaps up to this length (ms) are the time of a message, and not worth a line. */
const leastGapMs = 5;

interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
  readonly step: Step;
}

/** Computes what a journey says as a whole; undefined without a step. Pure. */
export function analyse({ steps }: Pick<Journey, "steps">): Analysis | undefined {
  const intervals = steps.map(intervalOf).sort((a, b) => a.fromMs - b.fromMs);
  const [first] = intervals;
  if (!first) return undefined;
  const startMs = first.fromMs;
  const lastMs = Math.max(...intervals.map(({ toMs }) => toMs));
  const readyMs = readyTime(steps);
  const endMs = readyMs ?? lastMs;
  const parts = layers.flatMap((layer) => layerPart(layer, intervals) ?? []);
  const total = endMs - startMs;
  return {
    startMs,
    endMs,
    readyMs,
    layers: parts,
    missing: layers.filter((layer) => !parts.some((part) => part.layer === layer)),
    gaps: gapsOf(intervals, endMs),
    explained: total <= 0 ? 1 : busyMs(intervals, startMs, endMs) / total,
    skews: skewsOf(steps),
    setBack: [...new Set(steps.filter(isSetBack).map(({ by = "a component" }) => by))],
  };
}

const intervalOf = (step: Step): Interval => {
  return { fromMs: parseMicroTime(step.from), toMs: stepEndMs(step), step };
};

/** When the object became ready for the first time. */
function readyTime(steps: readonly Step[]): number | undefined {
  const ready = steps.find(
    ({ layer, name, outcome }) => layer === "readiness" && name === "ready" && outcome === "ok",
  );
  return ready?.to === undefined ? undefined : stepEndMs(ready);
}

function layerPart(layer: Layer, all: readonly Interval[]): LayerPart | undefined {
  const intervals = all.filter(({ step }) => step.layer === layer);
  const [first] = intervals;
  if (!first) return undefined;
  const toMs = Math.max(...intervals.map((interval) => interval.toMs));
  return {
    layer,
    steps: intervals.map(({ step }) => step),
    fromMs: first.fromMs,
    toMs,
    busyMs: busyMs(intervals, first.fromMs, toMs),
    outcome: outcomeOf(intervals.map(({ step }) => step)),
  };
}

/** The last outcome counts: what failed may have been retried with success. */
function outcomeOf(steps: readonly Step[]): Outcome {
  const last = steps.at(-1)?.outcome ?? "ok";
  if (last !== "ok") return last;
  return steps.some(({ outcome }) => outcome === "failed" || outcome === "retried")
    ? "retried"
    : "ok";
}

/** The time between two times that is covered by intervals, which are sorted. */
function busyMs(intervals: readonly Interval[], fromMs: number, toMs: number): number {
  let sum = 0;
  let reached = fromMs;
  for (const interval of intervals) {
    const start = Math.max(interval.fromMs, reached);
    const end = Math.min(interval.toMs, toMs);
    if (end > start) sum += end - start;
    reached = Math.max(reached, end);
  }
  return sum;
}

function gapsOf(intervals: readonly Interval[], endMs: number): Gap[] {
  const gaps: Gap[] = [];
  let last = intervals[0];
  for (const interval of intervals) {
    if (!last || interval.fromMs >= endMs) break;
    if (interval.fromMs - last.toMs >= leastGapMs) {
      const [after, before] = [last.step, interval.step];
      gaps.push({ fromMs: last.toMs, toMs: interval.fromMs, after, before });
    }
    if (interval.toMs > last.toMs) last = interval;
  }
  return gaps;
}

/** Below this (ms), a difference is the time of a message. */
const leastSkewMs = 20;

/** Layers whose reporters may run on another machine than the API server. */
const layersOfNodes: ReadonlySet<Layer> = new Set<Layer>(["node", "readiness"]);

/**
 * Clocks that differ from that of the API server: a node that works on a Pod before it was bound is slow; one whose
 * reports are from the future (the server has noted by how much) is fast.
 */
function skewsOf(steps: readonly Step[]): Skew[] {
  const bound = steps.find(({ facts }) => facts?.["subresource"] === "binding");
  const found = new Map<string, number>();
  for (const { layer, by, from, facts } of steps) {
    if (by === undefined) continue;
    const aheadMs = Number(facts?.["clockAheadMs"] ?? 0);
    const behindMs =
      bound && layersOfNodes.has(layer) ? parseMicroTime(bound.from) - parseMicroTime(from) : 0;
    const ms = aheadMs > leastSkewMs ? aheadMs : behindMs > leastSkewMs ? -behindMs : 0;
    if (Math.abs(ms) > Math.abs(found.get(by) ?? 0)) found.set(by, ms);
  }
  return [...found].map(([by, ms]) => ({ by, ms }));
}
