import { describeStep } from "#/machinery/journey/describe-step.ts";
import { type Journey, layers, type Step } from "#/machinery/journey/step.ts";
import { endMs } from "#/machinery/journey/step-length.ts";
import { rootSpanIdOf, stepSpanIdOf, traceIdOf } from "#/machinery/journey/trace-ids.ts";
import { parseMicroTime } from "#/machinery/time/time.ts";

/**
 * Journeys as a trace that Perfetto and Chrome open: a process for each object, a track for each layer. Pure.
 * See the Trace Event Format.
 */
export function perfettoTrace(journeys: readonly Journey[]): object {
  const traceEvents = journeys.flatMap((journey, index) => {
    const pid = index + 1;
    const { resource, namespace, name } = journey.of;
    const title = `${resource} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
    const named = { ph: "M", pid, name: "process_name", args: { name: title } };
    const tracks = layers.map((layer, tid) => ({
      ...{ ph: "M", pid, tid, name: "thread_name", args: { name: `${tid + 1} ${layer}` } },
    }));
    return [named, ...tracks, ...journey.steps.map((step) => traceEvent(step, pid))];
  });
  return { displayTimeUnit: "ms", traceEvents };
}

function traceEvent(step: Step, pid: number): object {
  const { layer, name, from, outcome, by, facts = {} } = step;
  const startMs = parseMicroTime(from);
  return {
    ...{ ph: "X", pid, tid: layers.indexOf(layer), name, cat: outcome },
    ts: Math.round(startMs * 1000),
    dur: Math.max(1, Math.round((endMs(step) - startMs) * 1000)),
    args: { outcome, by, ...facts },
  };
}

/** Journeys as the body of OTLP's ExportTraceServiceRequest in JSON: a trace for each object. Pure. */
export function otlpRequest(journeys: readonly Journey[]): object {
  return {
    resourceSpans: journeys.map((journey) => ({
      resource: { attributes: attributes(objectAttributes(journey)) },
      scopeSpans: [{ scope: { name: "k8ts.journey" }, spans: spansOf(journey) }],
    })),
  };
}

/** The root and the steps below it. */
function spansOf({ of, from = "", to = from, steps }: Journey): readonly object[] {
  const [traceId, spanId] = [traceIdOf(of), rootSpanIdOf(of)];
  if (steps.length === 0) return [];
  const root = {
    ...{ traceId, spanId, name: `${of.resource} ${of.name}`, kind: 1 },
    ...{
      startTimeUnixNano: nanos(parseMicroTime(from)),
      endTimeUnixNano: nanos(endMs({ from, to })),
    },
  };
  return [root, ...steps.map((step, index) => stepSpan(step, { traceId, spanId, index }))];
}

function stepSpan(
  step: Step,
  { traceId, spanId, index }: { traceId: string; spanId: string; index: number },
): object {
  const { layer, name, from, outcome, by = "", facts = {} } = step;
  return {
    traceId,
    spanId: stepSpanIdOf(step.of, `${spanId} ${index}`),
    parentSpanId: spanId,
    name: `${layer}: ${name}`,
    kind: 1,
    startTimeUnixNano: nanos(parseMicroTime(from)),
    endTimeUnixNano: nanos(endMs(step)),
    attributes: attributes({
      "k8ts.layer": layer,
      "k8ts.outcome": outcome,
      "k8ts.by": by,
      ...facts,
    }),
    ...(outcome === "failed" ? { status: { code: 2, message: describeStep(step) } } : {}),
  };
}

function objectAttributes({ of }: Journey): Readonly<Record<string, string>> {
  const kind = of.resource.replace(/s(\..*)?$/, "");
  return {
    "service.name": "k8ts",
    [`k8s.${kind}.name`]: of.name,
    ...(of.uid === undefined ? {} : { [`k8s.${kind}.uid`]: of.uid }),
    ...(of.namespace === undefined ? {} : { "k8s.namespace.name": of.namespace }),
  };
}

const attributes = (values: Readonly<Record<string, unknown>>): readonly object[] =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: { stringValue: typeof value === "string" ? value : JSON.stringify(value) },
  }));

/** Nanoseconds as decimal digits: a number could not hold them. */
function nanos(ms: number): string {
  const micros = Math.round((ms - Math.floor(ms)) * 1000);
  return `${BigInt(Math.floor(ms)) * 1_000_000n + BigInt(micros) * 1000n}`;
}
