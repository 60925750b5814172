import { type Event, events } from "#/api/core/v1.ts";
import { type Event as NewEvent, events as newEvents } from "#/api/events/v1.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { parseMicroTime } from "#/machinery/time/time.ts";
import { type ApiObject, type Declaration, type Decoded, serve } from "../../registry/strategy.ts";
import { fromNewEvent, newEventFieldLabels, toNewEvent } from "../events/convert-event.ts";
import { validateEvent, validateEventUpdate } from "../events/validate-event.ts";
import { timeSince } from "../rules/age.ts";

/**
 * Events, served by the core group and by events.k8s.io from one store, and deleted after a time to live.
 *
 * Upstream: pkg/registry/core/event/strategy.go, pkg/printers/internalversion/printers.go (printEvent).
 */
export function eventResource(timeToLiveSeconds: number): Declaration {
  return serve(events, {
    isUnrecorded: true,
    versions: [
      {
        handle: newEvents,
        toStored: (object) => fromNewEvent(object as Decoded<NewEvent>),
        fromStored: (object) => toNewEvent(object as Decoded<Event>) as ApiObject,
        fieldLabels: newEventFieldLabels,
      },
    ],
    allowCreateOnUpdate: true,
    garbageCollection: "unsupported",
    timeToLiveSeconds: () => timeToLiveSeconds,
    validate: validateEvent,
    validateUpdate: validateEventUpdate,
    selectableFields: {
      "involvedObject.kind": ({ involvedObject }) => involvedObject.kind ?? "",
      "involvedObject.namespace": ({ involvedObject }) => involvedObject.namespace ?? "",
      "involvedObject.name": ({ involvedObject }) => involvedObject.name ?? "",
      "involvedObject.uid": ({ involvedObject }) => involvedObject.uid ?? "",
      "involvedObject.apiVersion": ({ involvedObject }) => involvedObject.apiVersion ?? "",
      "involvedObject.resourceVersion": ({ involvedObject }) =>
        involvedObject.resourceVersion ?? "",
      "involvedObject.fieldPath": ({ involvedObject }) => involvedObject.fieldPath ?? "",
      reason: ({ reason }) => reason ?? "",
      reportingComponent: ({ reportingComponent }) => reportingComponent,
      source: ({ source, reportingComponent }) => source?.component || reportingComponent,
      type: ({ type }) => type ?? "",
    },
    columns: [
      { name: "Last Seen", type: "string", cell: lastSeen },
      { name: "Type", type: "string", cell: ({ type }) => type ?? "" },
      { name: "Reason", type: "string", cell: ({ reason }) => reason ?? "" },
      { name: "Object", type: "string", cell: formatObject },
      {
        name: "Subobject",
        type: "string",
        priority: 1,
        cell: ({ involvedObject }) => involvedObject.fieldPath ?? "",
      },
      { name: "Source", type: "string", priority: 1, cell: formatSource },
      { name: "Message", type: "string", cell: ({ message }) => (message ?? "").trim() },
      { name: "First Seen", type: "string", priority: 1, cell: firstSeen },
      {
        name: "Count",
        type: "string",
        priority: 1,
        cell: ({ series, count }) => (series ? (series.count ?? 0) : (count ?? 1)),
      },
      {
        name: "Name",
        type: "string",
        format: "name",
        priority: 1,
        cell: ({ metadata }) => metadata.name ?? "",
      },
    ],
  });
}

function microTimeSince(timestamp: string | undefined, now: number): string {
  return timestamp ? humanDuration(now - parseMicroTime(timestamp)) : "<unknown>";
}

function firstSeen({ firstTimestamp, eventTime }: Event, now: number): string {
  return firstTimestamp ? timeSince(firstTimestamp, now) : microTimeSince(eventTime, now);
}

function lastSeen(event: Event, now: number): string {
  if (event.series) return microTimeSince(event.series.lastObservedTime, now);
  return event.lastTimestamp ? timeSince(event.lastTimestamp, now) : firstSeen(event, now);
}

function formatObject({ involvedObject: { kind = "", name } }: Event): string {
  return name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase();
}

function formatSource({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent;
  const instance = source?.host || reportingInstance;
  return instance ? `${component}, ${instance}` : component;
}
