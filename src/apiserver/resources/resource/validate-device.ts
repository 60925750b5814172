import type {
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceCapacity,
  DeviceCounterConsumption,
} from "#/api/resource/v1.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  JsonValue,
  required,
  tooLong,
  tooMany,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import {
  isDNS1123Label,
  isLongerThan,
  isQualifiedName,
  nameIsDNSSubdomain,
} from "#/machinery/meta/names.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { append } from "#/std/base/append.ts";
import { repeatedIndices } from "#/std/base/by-key.ts";
import { validateNodeSelector } from "../rules/node-selector.ts";
import { validateLabelName, validateQualified } from "./device-names.ts";
import { validateDeviceTaint } from "./device-taints.ts";
import { validateRequestPolicy } from "./request-policy.ts";

/**
 * Validation of a device's attributes, capacities, and the shared counters that it consumes.
 *
 * Upstream: pkg/apis/resource/validation/validation.go.
 */
const maxAttributesAndCapacities = 32;
const maxAttributeValues = 48;
const maxValueBytes = 64;
const maxKeyBytes = 63 + 1 + 32;
const maxLabelBytes = 63;
const maxCounters = 32;
const maxConsumptions = 2;
const maxTaints = 16;
const maxBindingConditions = 4;
const semver =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;
const listKinds = ["bools", "ints", "strings", "versions"] as const;
const kinds = ["int", "bool", "string", "version", "ints", "bools", "strings", "versions"] as const;
const allKinds = kinds.map((kind) => `\`${kind}\``).join(", ");

/** Inputs of a device's rules. */
interface DeviceScope {
  readonly perDeviceNodeSelection: boolean;
  /** The old device, on an update. */
  readonly old: Device | undefined;
}

/** Validation errors of a device. */
export function validateDevice(
  device: Device,
  path: FieldPath,
  { perDeviceNodeSelection, old }: DeviceScope,
): FieldError[] {
  const { name = "", attributes = {}, consumesCounters = [] } = device;
  // Unchanged parts are not checked again.
  const capacity = deepEqual(device.capacity, old?.capacity) ? {} : (device.capacity ?? {});
  const taints = deepEqual(device.taints, old?.taints) ? [] : (device.taints ?? []);
  const taintsPath = path.child("taints");
  return [
    ...validateLabelName(path.child("name"), name),
    ...validateAmounts(device, path),
    ...validateEntries(
      path.child("attributes"),
      attributes,
      maxKeyBytes,
      validateQualified,
      validateAttribute,
    ),
    ...validateEntries(
      path.child("capacity"),
      capacity,
      maxKeyBytes,
      validateQualified,
      (value, at) => validateCapacity(value, at, device.allowMultipleAllocations === true),
    ),
    ...(taints.length > maxTaints
      ? [tooMany(taintsPath, taints.length, maxTaints)]
      : taints.flatMap((taint, index) => validateDeviceTaint(taintsPath.index(index), taint))),
    ...validateConsumptions(consumesCounters, path.child("consumesCounters")),
    ...validateDeviceNodes(device, path, perDeviceNodeSelection),
    ...validateBinding(device, path),
  ];
}

function validateAmounts(
  { attributes = {}, capacity = {} }: Device,
  path: FieldPath,
): FieldError[] {
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  const values = Object.values(attributes).reduce((sum, attribute) => {
    const listed = listKinds.reduce((length, kind) => length + (attribute[kind]?.length ?? 0), 0);
    return sum + Math.max(1, listed);
  }, 0);
  const over = (actual: number, max: number, what: string) =>
    actual > max
      ? [invalid(path, actual, `the total number of ${what} must not exceed ${max}`)]
      : [];
  return [
    ...over(count, maxAttributesAndCapacities, "attributes and capacities"),
    ...over(values, maxAttributeValues, "attribute values"),
  ];
}

/** Checks the keys and values of a map; long keys are shortened in messages. */
function validateEntries<T>(
  path: FieldPath,
  map: Readonly<Record<string, T>>,
  maxKey: number,
  validateKey: (path: FieldPath, key: string) => FieldError[],
  validateValue: (value: T, path: FieldPath) => FieldError[],
): FieldError[] {
  return Object.entries(map).flatMap(([key, value]) => [
    ...validateKey(path, key),
    ...validateValue(value, path.key(shortened(key, maxKey))),
  ]);
}

function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const rest = max - "...".length;
  return `${text.slice(0, Math.trunc((rest + 1) / 2))}...${text.slice(-Math.trunc(rest / 2))}`;
}

function validateAttribute(attribute: DeviceAttribute, path: FieldPath): FieldError[] {
  const set = kinds.filter((kind) => attribute[kind] !== undefined);
  const errors: FieldError[] = [];
  const texts = (kind: "string" | "version") => {
    const single = attribute[kind];
    const listed = attribute[`${kind}s`] ?? [];
    return [
      ...(single === undefined ? [] : [{ text: single, at: path.child(kind) }]),
      ...listed.map((text, index) => ({ text, at: path.child(`${kind}s`).index(index) })),
    ];
  };
  for (const { text, at } of texts("string")) {
    if (isLongerThan(text, maxValueBytes)) errors.push(tooLong(at, maxValueBytes));
  }
  for (const { text, at } of texts("version")) {
    if (!semver.test(text)) {
      errors.push(invalid(at, text, "must be a string compatible with semver.org spec 2.0.0"));
    }
    if (isLongerThan(text, maxValueBytes)) errors.push(tooLong(at, maxValueBytes));
  }
  if (set.length === 1) return errors;
  const problem =
    set.length === 0
      ? invalid(path, "", `must specify one of: ${allKinds}`)
      : invalid(path, `{${set.join(", ")}}`, `must specify exactly one of: ${allKinds}`);
  return [...errors, problem];
}

function validateCapacity(
  { value, requestPolicy }: DeviceCapacity,
  path: FieldPath,
  isShared: boolean,
): FieldError[] {
  if (!requestPolicy) return [];
  const at = path.child("requestPolicy");
  if (!isShared) return [forbidden(at, "allowMultipleAllocations must be true")];
  return validateRequestPolicy(value, requestPolicy, at);
}

function validateConsumptions(
  consumptions: readonly DeviceCounterConsumption[],
  path: FieldPath,
): FieldError[] {
  if (consumptions.length > maxConsumptions) {
    return [tooMany(path, consumptions.length, maxConsumptions)];
  }
  return consumptions.flatMap((consumption, index) => {
    const at = path.index(index);
    const first = consumptions.findIndex(({ counterSet }) => counterSet === consumption.counterSet);
    return [
      ...validateCounters(consumption.counterSet ?? "", consumption.counters, {
        name: at.child("counterSet"),
        counters: at.child("counters"),
      }),
      ...(first < index ? [duplicate(at, consumption.counterSet)] : []),
    ];
  });
}

/** Validation errors of a set of counters that devices of a pool share. */
export function validateCounterSet({ name = "", counters }: CounterSet, path: FieldPath) {
  return validateCounters(name, counters, {
    name: path.child("name"),
    counters: path.child("counters"),
  });
}

function validateCounters(
  name: string,
  counters: Readonly<Record<string, unknown>> | undefined,
  path: { readonly name: FieldPath; readonly counters: FieldPath },
): FieldError[] {
  const label = (at: FieldPath, text: string) =>
    isDNS1123Label(text).map((problem) => invalid(at, text, problem));
  const count = Object.keys(counters ?? {}).length;
  const errors = name === "" ? [required(path.name)] : label(path.name, name);
  if (!counters || count === 0) return [...errors, required(path.counters)];
  if (count > maxCounters) return [...errors, tooMany(path.counters, count, maxCounters)];
  return [...errors, ...validateEntries(path.counters, counters, maxLabelBytes, label, () => [])];
}

const nodeChoices = ["nodeName", "nodeSelector", "allNodes"] as const;

function validateDeviceNodes(device: Device, path: FieldPath, perDevice: boolean): FieldError[] {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!perDevice) {
    if (nodeChoices.every((field) => device[field] === undefined)) return [];
    const detail =
      "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    return [invalid(path, new JsonValue(null), detail)];
  }
  const errors: FieldError[] = [];
  const nameAt = path.child("nodeName");
  if (nodeName === "") errors.push(invalid(nameAt, "", "must not be empty"));
  else if (nodeName !== undefined) {
    const problems = nameIsDNSSubdomain(nodeName, false);
    append(
      errors,
      problems.map((problem) => invalid(nameAt, nodeName, problem)),
    );
  }
  if (nodeSelector)
    errors.push(
      ...validateNodeSelector(nodeSelector, path.child("nodeSelector"), {
        allowInvalidValues: false,
      }),
    );
  if (allNodes === false) {
    errors.push(invalid(path.child("allNodes"), false, "must be either unset or set to true"));
  }
  const set = nodeChoices.filter((field) => device[field]);
  const detail =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  if (set.length === 0) errors.push(required(path, detail));
  if (set.length > 1) {
    errors.push(invalid(path, `{${set.map((field) => `\`${field}\``).join(", ")}}`, detail));
  }
  return errors;
}

/** Validation errors of the conditions of a device or of an allocated device. */
export function validateBinding(
  device: Pick<Device, "bindingConditions" | "bindingFailureConditions">,
  path: FieldPath,
): FieldError[] {
  const { bindingConditions = [], bindingFailureConditions = [] } = device;
  const [conditions, failures] = [
    path.child("bindingConditions"),
    path.child("bindingFailureConditions"),
  ];
  const names = (list: readonly string[], at: FieldPath) =>
    list.length > maxBindingConditions
      ? [tooMany(at, list.length, maxBindingConditions)]
      : list.flatMap((name, index) =>
          isQualifiedName(name).map((problem) => invalid(at.index(index), name, problem)),
        );
  const repeated = (list: readonly string[], at: FieldPath) =>
    [...repeatedIndices(list)].map((index) => duplicate(at.index(index), list[index]));
  const known = new Set(bindingConditions);
  const overlap = "bindingFailureConditions must not overlap with bindingConditions";
  const missing = (
    list: readonly string[],
    other: readonly string[],
    at: FieldPath,
    detail: string,
  ) => (list.length === 0 && other.length > 0 ? [invalid(at, new JsonValue(null), detail)] : []);
  return [
    ...names(bindingConditions, conditions),
    ...names(bindingFailureConditions, failures),
    ...repeated(bindingConditions, conditions),
    ...repeated(bindingFailureConditions, failures),
    ...bindingFailureConditions.flatMap((name, index) =>
      known.has(name) ? [invalid(failures.index(index), name, overlap)] : [],
    ),
    ...missing(
      bindingConditions,
      bindingFailureConditions,
      conditions,
      "bindingConditions are required to use bindingFailureConditions",
    ),
    ...missing(
      bindingFailureConditions,
      bindingConditions,
      failures,
      "bindingFailureConditions are required to use bindingConditions",
    ),
  ];
}
