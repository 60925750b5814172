import type { Event } from "#/api/core/v1.ts";
import { type FieldError, invalid, JsonValue, required } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan, isQualifiedName, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { append } from "#/std/base/append.ts";
import { table } from "#/std/base/table.ts";
import type { Decoded, RequestContext } from "../../registry/strategy.ts";
import { coreInternalForm } from "../rules/internal-form.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";

/**
 * Validation of events: lenient in the core group, strict in events.k8s.io.
 *
 * Upstream: pkg/apis/core/validation/events.go.
 */
const maxShortBytes = 128;
const maxNoteBytes = 1024;

const isStrict = ({ apiVersion }: RequestContext): boolean => apiVersion === "events.k8s.io/v1";

/** Validation errors of a new event. */
export function validateEvent(event: Decoded<Event>, context: RequestContext): FieldError[] {
  const errors = validateLoosely(event, context);
  if (!isStrict(context)) return errors;
  append(errors, validateNamespacedMeta(event.metadata, nameIsDNSSubdomain));
  append(errors, validateSeries(event));
  if (!event.eventTime) errors.push(required(fieldPath("eventTime")));
  if (event.type !== "Normal" && event.type !== "Warning") {
    errors.push(invalid(fieldPath("type"), "", `has invalid value: ${event.type ?? ""}`));
  }
  const unset = (field: string, isSet: boolean): void => {
    if (isSet) errors.push(invalid(fieldPath(field), "", "needs to be unset"));
  };
  unset("firstTimestamp", event.firstTimestamp !== undefined);
  unset("lastTimestamp", event.lastTimestamp !== undefined);
  unset("count", (event.count ?? 0) !== 0);
  unset("source", Boolean(event.source?.component || event.source?.host));
  return errors;
}

/** In upstream's order, which has the reason twice; Go types other than string are shown as JSON. */
const immutableFields = [
  ["involvedObject", "involvedObject"],
  ["reason", "reason"],
  ["message", "message"],
  ["source", "source"],
  ["firstTimestamp", "firstTimestamp"],
  ["lastTimestamp", "lastTimestamp"],
  ["count", "count"],
  ["reason", "reason"],
  ["type", "type"],
  ["eventTime", "eventTime"],
  ["action", "action"],
  ["related", "related"],
  ["reportingComponent", "reportingController"],
  ["reportingInstance", "reportingInstance"],
] as const;

/** Validation errors of an update of an event: in events.k8s.io only its series may change. */
export function validateEventUpdate(
  event: Decoded<Event>,
  old: Decoded<Event>,
  context: RequestContext,
): FieldError[] {
  const errors = validateLoosely(event, context);
  if (!isStrict(context)) return errors;
  append(errors, validateMetaUpdate(event.metadata, old.metadata));
  if (!deepEqual(event.series, old.series)) append(errors, validateSeries(event));
  for (const [field, shown] of immutableFields) {
    if (deepEqual(event[field] ?? null, old[field] ?? null)) continue;
    const value = new JsonValue(internalValue(field, event[field]));
    errors.push(invalid(fieldPath(shown), value, immutableMessage));
  }
  return errors;
}

/** Upstream shows its internal types, with all their fields. */
function internalValue(field: (typeof immutableFields)[number][0], value: unknown): unknown {
  const type = internalTypes[field];
  if (type && value !== undefined) return coreInternalForm(type, value);
  return value ?? (texts.has(field) ? "" : null);
}

const internalTypes: Readonly<Record<string, string>> = table({
  involvedObject: "ObjectReference",
  related: "ObjectReference",
  source: "EventSource",
});
const texts: ReadonlySet<string> = new Set([
  "reason",
  "message",
  "type",
  "action",
  "reportingComponent",
  "reportingInstance",
]);

function validateSeries({ series }: Event): FieldError[] {
  if (!series) return [];
  const errors: FieldError[] = [];
  if ((series.count ?? 0) < 2) {
    errors.push(invalid(fieldPath("series.count"), "", "should be at least 2"));
  }
  if (!series.lastObservedTime) errors.push(required(fieldPath("series.lastObservedTime")));
  return errors;
}

function validateLoosely(event: Decoded<Event>, context: RequestContext): FieldError[] {
  const { metadata, involvedObject, eventTime } = event;
  const namespace = metadata.namespace ?? "";
  const involved = involvedObject.namespace ?? "";
  const mismatch = invalid(
    fieldPath("involvedObject", "namespace"),
    involved,
    "does not match event.namespace",
  );
  if (!eventTime) {
    const matches =
      involved === "" ? namespace === "" || namespace === "default" : involved === namespace;
    return matches ? [] : [mismatch];
  }
  const clusterEvent = namespace === "default" || namespace === "kube-system";
  const errors = involved === "" && !clusterEvent ? [mismatch] : [];
  const controllerField = isStrict(context) ? "reportingController" : "reportingComponent";
  const controller = event.reportingComponent ?? "";
  if (controller === "") errors.push(required(fieldPath(controllerField)));
  for (const problem of isQualifiedName(controller)) {
    errors.push(invalid(fieldPath(controllerField), controller, problem));
  }
  for (const field of ["reportingInstance", "action", "reason"] as const) {
    const value = event[field] ?? "";
    if (value === "") errors.push(required(fieldPath(field)));
    if (isLongerThan(value, maxShortBytes)) errors.push(tooLong(field, maxShortBytes));
  }
  if (isLongerThan(event.message ?? "", maxNoteBytes))
    errors.push(tooLong("message", maxNoteBytes));
  return errors;
}

const tooLong = (field: string, max: number): FieldError =>
  invalid(fieldPath(field), "", `can have at most ${max} characters`);
