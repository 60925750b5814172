import type { Event } from "#/api/core/v1.ts";
import type { Event as NewEvent } from "#/api/events/v1.ts";
import { table } from "#/std/base/table.ts";
import type { Decoded } from "../../registry/strategy.ts";

/**
 * Events of events.k8s.io and of the core group: the same objects, with different names for some fields.
 *
 * Upstream: pkg/apis/events/v1/conversion.go.
 */

/** Field labels of events.k8s.io, and their names in the core group. */
export const newEventFieldLabels: Readonly<Record<string, string>> = table({
  reason: "reason",
  "regarding.kind": "involvedObject.kind",
  "regarding.namespace": "involvedObject.namespace",
  "regarding.name": "involvedObject.name",
  "regarding.uid": "involvedObject.uid",
  "regarding.apiVersion": "involvedObject.apiVersion",
  "regarding.resourceVersion": "involvedObject.resourceVersion",
  "regarding.fieldPath": "involvedObject.fieldPath",
  reportingController: "reportingComponent",
  type: "type",
});

/** Converts to an event of the core group. */
export function fromNewEvent(event: Decoded<NewEvent>): Decoded<Event> {
  const { deprecatedSource, deprecatedFirstTimestamp, deprecatedLastTimestamp, ...rest } = event;
  const { deprecatedCount, regarding, note, reportingController, reportingInstance, ...same } =
    rest;
  return {
    ...same,
    involvedObject: regarding ?? {},
    reportingComponent: reportingController ?? "",
    reportingInstance: reportingInstance ?? "",
    ...given("message", note),
    ...given("source", deprecatedSource),
    ...given("firstTimestamp", deprecatedFirstTimestamp),
    ...given("lastTimestamp", deprecatedLastTimestamp),
    ...given("count", deprecatedCount),
  };
}

/** Converts to an event of events.k8s.io. */
export function toNewEvent(event: Decoded<Event>): Decoded<NewEvent> {
  const { source, firstTimestamp, lastTimestamp, count, involvedObject, message, ...rest } = event;
  const { reportingComponent, ...same } = rest;
  return {
    ...(same as Decoded<NewEvent>),
    regarding: involvedObject,
    ...given("reportingController", reportingComponent),
    ...given("note", message),
    ...given("deprecatedSource", source),
    ...given("deprecatedFirstTimestamp", firstTimestamp),
    ...given("deprecatedLastTimestamp", lastTimestamp),
    ...given("deprecatedCount", count),
  };
}

/** An object with the field if it has a value, else an empty object. */
function given<K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { [key in K]?: V };
}
