import type { Event } from "#/api/core/v1.ts";
import {
  compareSteps,
  type Journey,
  type Layer,
  type Outcome,
  type Step,
} from "#/machinery/journey/step.ts";
import { formatMicroTime, parseTime } from "#/machinery/time/time.ts";
import { table } from "#/std/base/table.ts";
import type { Unstructured } from "../../base/unstructured.ts";

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

interface ManagedEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
}

/** Layers of conditions, by type; others say something about readiness. */
const layerOfCondition: Readonly<Record<string, Layer>> = table({
  PodScheduled: "scheduling",
  Initialized: "node",
  PodReadyToStartContainers: "node",
  ContainersReady: "readiness",
  Ready: "readiness",
});

/** Layers of events, by the component that wrote them; others come from controllers. */
const layerOfSource: readonly (readonly [pattern: RegExp, layer: Layer])[] = [
  [/scheduler/, "scheduling"],
  [/^kubelet$/, "node"],
  [/endpoint|service|proxy/, "service"],
];

/**
 * What an object and its events contain about its way, for servers that record no journeys: times in whole seconds, and only
 * the newest of each kind. Pure.
 */
export function journeyFromObject(
  resource: string,
  object: Unstructured,
  events: readonly Event[],
): Journey {
  const metadata = (object.metadata ?? {}) as {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly creationTimestamp?: string;
    readonly managedFields?: readonly ManagedEntry[];
  };
  const { name = "", namespace, uid } = metadata;
  const of = {
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
  };
  const { conditions = [] } = (object["status"] ?? {}) as { conditions?: readonly Condition[] };
  const created = metadata.creationTimestamp;
  const steps = [
    ...(created ? [stepAt(of, "store", "commit", created, { facts: { verb: "create" } })] : []),
    ...(metadata.managedFields ?? []).flatMap((entry) => managedStep(of, entry)),
    ...conditions.flatMap((condition) => conditionStep(of, condition)),
    ...events.flatMap((event) => eventStep(of, event)),
  ];
  const journey: Journey = {
    kind: "Journey",
    apiVersion: "journey.k8ts.dev/v1",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    of,
    steps: [],
  };
  return withSteps(journey, steps);
}

/** The same with what an audit log has: if that begins with the object, its writes replace those of managedFields. */
export function withAudit(journey: Journey, audited: readonly Step[]): Journey {
  const isWhole = audited.some(({ layer, name }) => layer === "client" && name === "request");
  const kept = isWhole ? journey.steps.filter(({ layer }) => layer !== "store") : journey.steps;
  return audited.length === 0 ? journey : withSteps(journey, [...kept, ...audited]);
}

function withSteps(journey: Journey, unsorted: readonly Step[]): Journey {
  const steps = unsorted.toSorted(compareSteps);
  const [first, last] = [steps[0]?.from, steps.at(-1)?.from];
  return {
    ...journey,
    ...(first === undefined ? {} : { from: first }),
    ...(last === undefined ? {} : { to: last }),
    steps,
  };
}

function stepAt(
  of: Journey["of"],
  layer: Layer,
  name: string,
  time: string,
  rest: Partial<Step> = {},
): Step {
  const from = formatMicroTime(parseTime(time));
  return { of, layer, name, from, to: from, outcome: "ok", ...rest };
}

function managedStep(
  of: Journey["of"],
  { manager = "", operation = "", subresource = "", time }: ManagedEntry,
): Step[] {
  if (!time) return [];
  const verb = operation.toLowerCase();
  const facts = { verb, manager, ...(subresource === "" ? {} : { subresource }) };
  return [stepAt(of, "store", "commit", time, { by: manager, facts })];
}

function conditionStep(of: Journey["of"], condition: Condition): Step[] {
  const { type = "", status = "", reason, message, lastTransitionTime } = condition;
  if (!lastTransitionTime) return [];
  const isReady = type === "Ready";
  const outcome: Outcome = status === "True" ? "ok" : "waiting";
  return [
    stepAt(
      of,
      layerOfCondition[type] ?? "readiness",
      isReady ? "ready" : type,
      lastTransitionTime,
      {
        outcome,
        ...(reason ? { reason } : {}),
        ...(message ? { message } : {}),
      },
    ),
  ];
}

function eventStep(of: Journey["of"], event: Event): Step[] {
  const { reason = "", message = "", type, count = 1, source, reportingComponent } = event;
  const first = event.firstTimestamp ?? event.eventTime ?? event.metadata?.creationTimestamp;
  if (!first) return [];
  const by = source?.component || reportingComponent || "";
  const layer = layerOfSource.find(([pattern]) => pattern.test(by))?.[1] ?? "controllers";
  const last = event.series?.lastObservedTime ?? event.lastTimestamp ?? first;
  return [
    stepAt(of, layer, reason, first, {
      to: formatMicroTime(parseTime(last)),
      outcome: type === "Warning" ? "failed" : "ok",
      message,
      by,
      ...(count > 1 ? { attempt: count } : {}),
    }),
  ];
}
