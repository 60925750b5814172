import type { Facts, Layer, Outcome, Step, StepObject } from "#/machinery/journey/step.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";

/**
 * One write of one object, in the short form in which it is kept: making eight steps of every write would cost more
 * than the rest of the recording. Times are microseconds after `t`; 0 where the request has not been.
 */
export interface WriteRecord {
  readonly of: StepObject;
  /** When the request arrived (ms since 1970). */
  readonly t: number;
  readonly verb: string;
  readonly subresource?: string;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly impersonator?: string;
  readonly authenticator?: string;
  readonly reason?: string;
  readonly agent?: string;
  /** The program's command (Kubectl-Command). */
  readonly command?: string;
  readonly traceparent?: string;
  readonly manager?: string;
  /** [authenticated, authorized, decoded, mutated, checked, validated, written, durable, seen] */
  readonly at: readonly number[];
  /** [priority level, flow schema, from, to] */
  readonly queue?: readonly [string, string, number, number];
  /** [name, phase, µs, changed fields, whether it failed]; absent plugins took no time worth noting. */
  readonly plugins?: readonly PluginRecord[];
  readonly revision?: number;
  readonly bytes?: number;
  /** The uid of the object that this one was made for. */
  readonly owner?: string;
  /** Why the request was refused. */
  readonly error?: { readonly code: number; readonly reason: string; readonly message: string };
}

type PluginRecord = readonly [
  name: string,
  phase: string,
  micros: number,
  changed: readonly string[],
  failed: boolean,
];

export const places = [
  "authenticated",
  "authorized",
  "decoded",
  "mutated",
  "checked",
  "validated",
  "written",
  "durable",
  "seen",
] as const;

type Place = (typeof places)[number];

/** The steps of a write. Pure. */
export function stepsOf(record: WriteRecord): Step[] {
  const whole = record.verb === "create" && record.subresource === undefined;
  if (record.error) return failedSteps(record, whole);
  return whole ? createSteps(record) : [commitStep(record)];
}

function createSteps(record: WriteRecord): Step[] {
  const span = spans(record);
  const admitted = (phase: string) => pluginFacts(record, phase);
  const passed = (place: Place) => (record.at[places.indexOf(place)] ?? 0) > 0;
  return [
    ...arrivalSteps(record, span),
    ...(passed("decoded") ? [span("store", "decode", "authorized", "decoded", {})] : []),
    ...(passed("mutated")
      ? [span("admission", "mutate", "decoded", "mutated", admitted("mutate"))]
      : []),
    ...webhookSteps(record, span),
    ...(passed("checked") ? [span("store", "check", "mutated", "checked", {})] : []),
    ...(passed("validated")
      ? [span("admission", "validate", "checked", "validated", admitted("validate"))]
      : []),
    commitStep(record),
    span("store", "notify", "durable", "seen", {}),
  ];
}

type Span = (
  layer: Layer,
  name: string,
  from: Place | undefined,
  to: Place,
  facts: Facts,
  outcome?: Outcome,
) => Step;

/** Makes steps between two places of the request. */
function spans(record: WriteRecord): Span {
  /** Of the last place that the request has been at. */
  const time = (place: Place | undefined) => {
    const until = place === undefined ? 0 : places.indexOf(place) + 1;
    const micros = record.at.slice(0, until).findLast((at) => at > 0) ?? 0;
    return formatMicroTime(record.t + micros / 1000);
  };
  return (layer, name, from, to, facts, outcome = "ok") => ({
    of: record.of,
    layer,
    name,
    from: time(from),
    to: time(to),
    outcome,
    by: "system:apiserver",
    ...(Object.keys(facts).length > 0 ? { facts } : {}),
  });
}

function arrivalSteps(record: WriteRecord, span: Span): Step[] {
  const { user, groups, impersonator, authenticator, reason, queue } = record;
  const arrived = [
    span("client", "request", undefined, lastPlace(record), clientFacts(record)),
    span("authentication", "authenticate", undefined, "authenticated", {
      ...given({ authenticator, user, groups, impersonator }),
    }),
    span("authorization", "authorize", "authenticated", "authorized", given({ reason })),
  ];
  if (!queue) return arrived;
  const [priorityLevel, flowSchema, fromMicros, toMicros] = queue;
  const waited: Step = {
    ...span("authorization", "queue", undefined, "authorized", { priorityLevel, flowSchema }),
    from: formatMicroTime(record.t + fromMicros / 1000),
    to: formatMicroTime(record.t + toMicros / 1000),
    outcome: "waiting",
  };
  return [...arrived, waited];
}

const clientFacts = ({ command, agent, verb, subresource, traceparent }: WriteRecord): Facts =>
  given({ command, userAgent: agent, verb, subresource, traceparent });

function lastPlace({ at }: WriteRecord): Place {
  return places.findLast((_, index) => (at[index] ?? 0) > 0) ?? "authenticated";
}

function pluginFacts({ plugins = [] }: WriteRecord, phase: string): Facts {
  const noted = plugins.filter(([, of]) => of === phase);
  if (noted.length === 0) return {};
  return {
    plugins: noted.map(([name, , micros, changed]) => ({
      name,
      ms: micros / 1000,
      ...(changed.length > 0 ? { changed } : {}),
    })),
  };
}

function webhookSteps({ plugins = [] }: WriteRecord, span: Span): Step[] {
  return plugins
    .filter(([, phase]) => phase === "webhook")
    .map(([name, , micros, changed, failed]) => {
      const facts = { ms: micros / 1000, ...(changed.length > 0 ? { changed } : {}) };
      const outcome = failed ? "failed" : "ok";
      return span("admission", `webhook ${name}`, "decoded", "mutated", facts, outcome);
    });
}

function commitStep(record: WriteRecord): Step {
  const { revision, bytes, verb, subresource, user, manager } = record;
  const isCreate = verb === "create" && subresource === undefined;
  const facts = given({
    bytes,
    ...(isCreate ? {} : { verb, subresource, user, manager }),
  });
  const step = spans(record)("store", "commit", "written", "durable", facts);
  return revision === undefined ? step : { ...step, revision: String(revision) };
}

/** The steps up to the place of the failure. */
function failedSteps(record: WriteRecord, whole: boolean): Step[] {
  const { at, error } = record;
  const span = spans(record);
  const [authenticated = 0, authorized = 0, decoded = 0, mutated = 0, checked = 0, validated = 0] =
    at;
  const failed = (layer: Layer, name: string, from: Place | undefined, facts: Facts): Step => ({
    ...span(layer, name, from, lastPlace(record), facts, "failed"),
    ...(error && error.reason !== "" ? { reason: error.reason } : {}),
    message: error?.message ?? "",
  });
  const arrived = whole ? arrivalSteps(record, span) : [];
  const said = { ...clientFacts(record), ...given({ user: record.user, code: error?.code }) };
  if (authenticated === 0) return [failed("authentication", "authenticate", undefined, said)];
  if (authorized === 0) return [failed("authorization", "authorize", "authenticated", said)];
  if (decoded === 0) return [...arrived, failed("store", "decode", "authorized", said)];
  if (mutated === 0 || (checked > 0 && validated === 0)) {
    const [phase, from] =
      mutated === 0 ? ["mutate", "decoded" as const] : ["validate", "checked" as const];
    const facts = { ...said, ...pluginFacts(record, phase) };
    return [...arrived, ...webhookSteps(record, span), failed("admission", phase, from, facts)];
  }
  if (checked === 0) return [...arrived, failed("store", "check", "mutated", said)];
  return [...arrived, failed("store", "commit", "validated", said)];
}

function given(facts: Readonly<Record<string, unknown>>): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
