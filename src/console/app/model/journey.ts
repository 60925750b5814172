import { type Layer, layers } from "#/machinery/journey/step.ts";
import type { EventView } from "./event-view.ts";
import { type ApiObject, textAt } from "./object.ts";
import { conditionsOf } from "./summary.ts";

/** A step of a journey as the API sends it (journey.k8ts.dev/v1). */
export interface Step {
  readonly layer: Layer;
  readonly name: string;
  readonly from: string;
  /** Absent while it lasts. */
  readonly to?: string;
  readonly outcome: "ok" | "waiting" | "failed" | "retried";
  readonly attempt?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly by?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
}

export interface Journey {
  readonly steps?: readonly Step[];
  readonly dropped?: number;
}

/** A step with its place on the time line. */
export interface TimelineStep {
  readonly step: Step;
  readonly startMs: number;
  readonly durationMs: number;
  readonly isOpen: boolean;
  /** Share of the width, from 0 to 1. */
  readonly left: number;
  readonly width: number;
}

export interface Timeline {
  readonly steps: readonly TimelineStep[];
  readonly durationMs: number;
  /** Steps after the end of what is shown (count). */
  readonly later: number;
  /** When the object was ready, from the begin (ms); undefined if it was not. */
  readonly readyMs: number | undefined;
}

/** The least length of the line (ms): a single moment has a length, too. */
const leastMs = 1;
/** What is shown after the moment of readiness, as a share: the Service learns of it then. */
const afterReady = 1.25;

/** A time with its microseconds, which Date drops (ms). */
function timeMs(text: string): number {
  const [, digits = ""] = /\.\d{3}(\d+)/.exec(text) ?? [];
  return Date.parse(text) + Number(`0.${digits || "0"}`);
}

/** Places steps on a line that ends soon after the object was ready, or now, or (`whole`) with the last step. */
export function timelineOf(steps: readonly Step[], nowMs: number, whole = false): Timeline {
  const timed = steps
    .map((step) => ({
      step,
      fromMs: timeMs(step.from),
      toMs: step.to ? timeMs(step.to) : nowMs,
    }))
    .filter(({ fromMs }) => Number.isFinite(fromMs))
    .sort(
      (a, b) => a.fromMs - b.fromMs || layers.indexOf(a.step.layer) - layers.indexOf(b.step.layer),
    );
  const startMs = timed[0]?.fromMs ?? nowMs;
  const ready = timed.find(
    ({ step }) => step.layer === "readiness" && step.name === "ready" && step.outcome === "ok",
  );
  const readyMs = ready && Math.max(ready.fromMs, ready.toMs) - startMs;
  const wholeMs = timed.reduce((end, { toMs }) => Math.max(end, toMs - startMs), leastMs);
  const shownMs =
    whole || readyMs === undefined
      ? wholeMs
      : Math.min(wholeMs, Math.max(leastMs, readyMs * afterReady));
  const inside = timed.filter(({ fromMs }) => fromMs - startMs <= shownMs);
  return {
    durationMs: shownMs,
    later: timed.length - inside.length,
    readyMs,
    steps: inside.map(({ step, fromMs, toMs }) => {
      const left = (fromMs - startMs) / shownMs;
      return {
        step,
        startMs: fromMs - startMs,
        durationMs: Math.max(0, toMs - fromMs),
        isOpen: step.to === undefined,
        left,
        width: Math.min(1 - left, Math.max(0, toMs - fromMs) / shownMs),
      };
    }),
  };
}

/** Layers of which conditions of a Pod speak. */
const conditionLayers: Readonly<Record<string, Layer>> = {
  PodScheduled: "scheduling",
  PodReadyToStartContainers: "node",
  Initialized: "node",
  ContainersReady: "readiness",
  Ready: "readiness",
};

const eventLayers: readonly (readonly [pattern: RegExp, layer: Layer])[] = [
  [/scheduler/, "scheduling"],
  [/kubelet/, "node"],
  [/controller/, "controllers"],
];

/** What conditions and events contain of the way of an object: for servers that record no journeys. Its times are whole seconds. */
export function stepsFromStatus(object: ApiObject, events: readonly EventView[]): Step[] {
  const created = object.metadata.creationTimestamp;
  const moment = (layer: Layer, name: string, at: string, rest: Partial<Step> = {}): Step => {
    return { layer, name, from: at, to: at, outcome: "ok", ...rest };
  };
  const conditions = conditionsOf(object).flatMap(
    ({ type, status, reason, message, changedMs }): Step[] => {
      const layer = conditionLayers[type];
      if (!layer || changedMs === 0) return [];
      const at = new Date(changedMs).toISOString();
      const name = type === "Ready" ? "ready" : type;
      if (status === "True") return [moment(layer, name, at)];
      return [{ layer, name, from: at, outcome: "waiting", reason, message }];
    },
  );
  const fromEvents = events
    .filter(({ lastMs }) => lastMs > 0)
    .map(({ reason, message, source, isWarning, lastMs }) => {
      const layer = eventLayers.find(([pattern]) => pattern.test(source))?.[1] ?? "controllers";
      const at = new Date(lastMs).toISOString();
      return moment(layer, reason, at, {
        outcome: isWarning ? "failed" : "ok",
        message,
        by: source,
      });
    });
  const stored = created ? [moment("store", "commit", created)] : [];
  const started = textAt(object, "status", "startTime");
  return [
    ...stored,
    ...(started ? [moment("node", "accept", started)] : []),
    ...conditions,
    ...fromEvents,
  ];
}
