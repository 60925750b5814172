import { goQuote } from "#/std/go/go-quote.ts";
import { compareText } from "#/std/text/compare-text.ts";
import { isJsonObject, type JsonObject } from "../patch/values/json-value.ts";
import { goJson } from "../values/go-format.ts";
import type { FieldSet } from "./field-set.ts";
import { decodeFields, encodeFields } from "./fields-v1.ts";

/**
 * An entry of metadata.managedFields: which fields a manager owns.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go.
 */
export interface Manager extends ManagerIdentity {
  /** The time of its last change; undefined if there was none or it is unknown. */
  readonly time: string | undefined;
  readonly set: FieldSet;
}

/** The identity of a manager; for Apply managers the version is not part of it. */
export interface ManagerIdentity {
  readonly name: string;
  readonly operation: "Apply" | "Update";
  /** The version of the set's paths. */
  readonly apiVersion: string;
  readonly subresource: string;
}

/** Managers by their id. */
export type Managers = ReadonlyMap<string, Manager>;

/**
 * The id of a manager: equal for equal identities, and sorted in the order in which messages list
 * managers.
 */
export function managerId({ name, operation, apiVersion, subresource }: ManagerIdentity): string {
  return goJson({
    ...(name === "" ? {} : { manager: name }),
    operation,
    ...(operation === "Apply" ? {} : { apiVersion }),
    ...(subresource === "" ? {} : { subresource }),
  });
}

/**
 * Managers by their managedFields list. Not a memo, because encoding adds entries too. Both sides
 * are immutable, so entries stay valid.
 */
const decoded = new WeakMap<object, Managers>();

/** Reads managedFields; throws SyntaxError with upstream's message. */
export function decodeManagers(entries: unknown): Managers {
  if (!Array.isArray(entries)) return new Map();
  const known = decoded.get(entries);
  if (known) return known;
  const managers = new Map<string, Manager>();
  for (const [index, entry] of entries.entries()) {
    const manager = decodeManager(isJsonObject(entry) ? entry : {}, index);
    managers.set(managerId(manager), manager);
  }
  decoded.set(entries, managers);
  return managers;
}

function decodeManager(entry: JsonObject, index: number): Manager {
  const { manager, operation, apiVersion, time, fieldsType, fieldsV1, subresource } = entry;
  if (operation !== "Apply" && operation !== "Update") {
    throw new SyntaxError("operation must be `Apply` or `Update`");
  }
  if (!apiVersion) throw new SyntaxError("apiVersion must not be empty");
  if (!fieldsType) throw new SyntaxError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== "FieldsV1") {
    throw new SyntaxError(
      `invalid fieldsType ${goQuote(String(fieldsType))} in managed fields entry ${index}`,
    );
  }
  return {
    name: String(manager ?? ""),
    operation,
    apiVersion: String(apiVersion),
    subresource: String(subresource ?? ""),
    time: typeof time === "string" ? time : undefined,
    set: decodeFields(fieldsV1),
  };
}

/** Writes managedFields, oldest first within an operation; undefined if there are no managers. */
export function encodeManagers(managers: Managers): readonly JsonObject[] | undefined {
  if (managers.size === 0) return undefined;
  const entries = [...managers.values()].sort(compareManagers).map(encodeManager);
  decoded.set(entries, managers);
  return entries;
}

function encodeManager({
  name,
  operation,
  apiVersion,
  subresource,
  time,
  set,
}: Manager): JsonObject {
  return {
    ...(name === "" ? {} : { manager: name }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: encodeFields(set),
    ...(subresource === "" ? {} : { subresource }),
  };
}

const compareManagers = (a: Manager, b: Manager): number =>
  compareText(a.operation, b.operation) ||
  seconds(a.time) - seconds(b.time) ||
  compareText(a.name, b.name) ||
  compareText(a.apiVersion, b.apiVersion) ||
  compareText(a.subresource, b.subresource);

/** A time in whole seconds; an unknown time counts as the oldest. */
export const seconds = (time: string | undefined): number =>
  time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);

/** Whether managedFields request a reset of all managers: an empty list, or one empty entry. */
export function resetsManagers(entries: unknown): boolean {
  if (!Array.isArray(entries) || entries.length > 1) return false;
  const [first] = entries;
  return entries.length === 0 || (isJsonObject(first) && Object.keys(first).length === 0);
}
