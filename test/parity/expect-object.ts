import assert from "node:assert/strict";
import type { Schema } from "#/api/base/schema.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";

/** Fields that the server fills in after a patch: their absence in our result is no difference. */
const filledIn: ReadonlySet<string> = new Set([
  "managedFields",
  "resourceVersion",
  "generation",
  "uid",
  "creationTimestamp",
  "imagePullPolicy",
  "terminationMessagePath",
  "terminationMessagePolicy",
  "restartPolicy",
  "terminationGracePeriodSeconds",
  "dnsPolicy",
  "schedulerName",
  "securityContext",
  "enableServiceLinks",
  "preemptionPolicy",
  "priority",
  "tolerations",
  "protocol",
  "targetPort",
  "defaultMode",
  "medium",
  "replicas",
  "strategy",
  "rollingUpdate",
  "maxSurge",
  "maxUnavailable",
  "type",
  "revisionHistoryLimit",
  "progressDeadlineSeconds",
  "defaulted",
  "sessionAffinity",
  "sessionAffinityConfig",
  "internalTrafficPolicy",
  "externalTrafficPolicy",
  "allocateLoadBalancerNodePorts",
  "clusterIP",
  "clusterIPs",
  "ipFamilies",
  "ipFamilyPolicy",
  "nodePort",
  "namespace",
  "status",
  "fieldRef",
  "apiVersion",
]);

/**
 * Checks that an object is the one the server answered, except for zero values, fields that the server sets, and fields
 * that are not in the schema.
 */
export function expectObject(actual: unknown, answered: unknown, schema?: Schema): void {
  const known = schema === undefined ? actual : knownFields(actual, schema);
  assert.deepEqual(withFilledIn(plain(known), plain(answered)), plain(answered));
}

function knownFields(value: unknown, schema: Schema): unknown {
  // A null in a Go map becomes the zero value of its type.
  if (schema.type === "quantity") return canonicalQuantity(value);
  if (schema.type === "list" && Array.isArray(value)) {
    return value.map((item) => knownFields(item, schema.items));
  }
  if (!isObject(value)) return value;
  if (schema.type === "map") {
    const entries = Object.entries(value).map(([key, part]) => [
      key,
      knownFields(part, schema.values),
    ]);
    return Object.fromEntries(entries);
  }
  if (schema.type !== "struct" || schema.preserveUnknown) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      const field = schema.fields.get(key);
      return field ? [[key, knownFields(part, field.schema)]] : [];
    }),
  );
}

const canonicalQuantity = (value: unknown): string =>
  value === null ? "0" : parseQuantity(String(value)).toString();

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value without nulls, and without empty strings, maps and lists, which Go may omit or write. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value))
    return value === null || value === "" || value === false ? undefined : value;
  const entries = Object.entries(value)
    .map(([key, part]) => [key, plain(part)] as const)
    .filter(([, part]) => !isEmpty(part));
  return Object.fromEntries(entries);
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** Whether the server alone may have set all of this. */
function isFilledIn(key: string, value: unknown): boolean {
  if (filledIn.has(key)) return true;
  return isObject(value) && Object.entries(value).every(([name, part]) => isFilledIn(name, part));
}

/** Copies the fields that only the server sets from the answer. */
function withFilledIn(actual: unknown, answered: unknown): unknown {
  if (Array.isArray(actual) && Array.isArray(answered)) {
    return actual.map((item, index) => withFilledIn(item, answered[index]));
  }
  if (!isObject(actual) || !isObject(answered)) return actual;
  const merged: Fields = Object.fromEntries(
    Object.entries(actual).map(([key, part]) => [
      key,
      Object.hasOwn(answered, key) ? withFilledIn(part, answered[key]) : part,
    ]),
  );
  for (const key of Object.keys(answered)) {
    const volatile = key === "managedFields" || key === "resourceVersion" || key === "generation";
    const missing = !Object.hasOwn(merged, key);
    if (volatile || (missing && isFilledIn(key, answered[key]))) merged[key] = answered[key];
  }
  for (const key of ["managedFields", "resourceVersion", "generation"]) {
    if (!Object.hasOwn(answered, key)) delete merged[key];
  }
  return merged;
}
