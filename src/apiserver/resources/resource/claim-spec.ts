import type {
  DeviceClaim,
  DeviceClaimConfiguration,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaimSpec,
} from "#/api/resource/v1.ts";
import { writeJson } from "#/machinery/codec/json/write-json.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  required,
  tooLong,
  tooMany,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";
import type { RequestContext } from "../../registry/strategy.ts";
import { withDeclared } from "../rules/declared-rules.ts";
import { requestFieldsOf } from "./convert-beta.ts";
import { declaredClaimErrors } from "./declared-claim.ts";
import {
  validateClassName,
  validateDriverName,
  validateFullyQualified,
  validateLabelName,
} from "./device-names.ts";
import { validateDeviceExpression } from "./device-selector.ts";
import { validateDeviceToleration } from "./device-taints.ts";

/** Upstream: pkg/apis/resource/validation/validation.go, pkg/apis/resource/v1/defaults.go. */
const maxRequests = 32;
const maxSubRequests = 8;
const maxItems = 32;
const maxParameterBytes = 10 * 1024;

type AnyRequest = ExactDeviceRequest | DeviceSubRequest;

/** Sets the default number of devices of each request. */
export function setClaimDefaults({ devices }: ResourceClaimSpec): void {
  for (const { exactly, firstAvailable = [] } of devices?.requests ?? []) {
    for (const request of exactly ? [exactly, ...firstAvailable] : firstAvailable) {
      request.allocationMode ||= "ExactCount";
      if (request.allocationMode === "ExactCount") request.count ||= 1;
      for (const toleration of request.tolerations ?? []) toleration.operator ||= "Equal";
    }
  }
}

/** The names by which parts of a claim refer to its requests: "a", or "a/b" for a subrequest. */
export function requestNames({ requests = [] }: DeviceClaim): ReadonlySet<string> {
  return new Set(
    requests.flatMap(({ name, firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((choice) => `${name}/${choice.name}`),
    ]),
  );
}

/** Validation errors of the device requests of a claim. */
export const validateClaimSpec = (
  spec: ResourceClaimSpec,
  path: FieldPath,
  { apiVersion }: Pick<RequestContext, "apiVersion">,
  others: readonly FieldError[] = [],
): FieldError[] =>
  withDeclared(
    [...programmedErrors(spec, path.child("devices")), ...others],
    declaredClaimErrors(spec, path),
    requestFieldsOf(apiVersion),
  );

function programmedErrors({ devices = {} }: ResourceClaimSpec, at: FieldPath): FieldError[] {
  const { requests = [], constraints = [], config = [] } = devices;
  const names = requestNames(devices);
  return [
    ...validateList(at.child("requests"), requests, maxRequests, validateRequest, byName),
    ...validateList(at.child("constraints"), constraints, maxItems, (item, place) =>
      validateConstraint(item, place, names),
    ),
    ...validateList(at.child("config"), config, maxItems, (item, place) =>
      validateConfiguration(item, place, names),
    ),
  ];
}

const byName = ({ name }: { readonly name: string }): string => name;

/** Checks a list: its length, its items, and that items are unique. */
export function validateList<T>(
  path: FieldPath,
  items: readonly T[],
  max: number,
  validate: (item: T, path: FieldPath) => readonly FieldError[],
  keyOf?: (item: T) => string,
  shownAs: (item: T) => unknown = (item) => item,
): FieldError[] {
  if (items.length > max) return [tooMany(path, items.length, max)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  items.forEach((item, index) => {
    append(errors, validate(item, path.index(index)));
    if (!keyOf) return;
    const key = keyOf(item);
    if (seen.has(key)) errors.push(duplicate(path.index(index), shownAs(item)));
    seen.add(key);
  });
  return errors;
}

function validateRequest(request: DeviceRequest, path: FieldPath): FieldError[] {
  const { name = "", exactly, firstAvailable = [] } = request;
  const errors = validateLabelName(path.child("name"), name);
  const detail = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly && firstAvailable.length > 0) {
    return [...errors, invalid(path, null, `${detail}, but multiple fields are set`)];
  }
  if (exactly) return [...errors, ...validateDevices(exactly, path.child("exactly"))];
  if (firstAvailable.length === 0) return [...errors, required(path, detail)];
  const choices = path.child("firstAvailable");
  const validateChoice = (choice: DeviceSubRequest, place: FieldPath) => [
    ...validateLabelName(place.child("name"), choice.name ?? ""),
    ...validateDevices(choice, place),
  ];
  return [
    ...errors,
    ...validateList(choices, firstAvailable, maxSubRequests, validateChoice, byName),
  ];
}

function validateDevices(request: AnyRequest, path: FieldPath): FieldError[] {
  const { deviceClassName = "", selectors = [], tolerations = [] } = request;
  return [
    ...validateClassName(path.child("deviceClassName"), deviceClassName),
    ...validateSelectors(selectors, path.child("selectors")),
    ...validateCount(request, path),
    ...tolerations.flatMap((toleration, index) =>
      validateDeviceToleration(path.child("tolerations").index(index), toleration),
    ),
  ];
}

function validateCount(request: AnyRequest, path: FieldPath): FieldError[] {
  const { count = 0 } = request;
  const allocationMode: string = request.allocationMode ?? "";
  const at = path.child("count");
  if (allocationMode === "All") {
    const detail = "must not be specified when allocationMode is 'All'";
    return count === 0 ? [] : [invalid(at, count, detail)];
  }
  if (allocationMode === "ExactCount") {
    return count > 0 ? [] : [invalid(at, count, "must be greater than zero")];
  }
  return [];
}

/** Validation errors of expressions that select devices. */
export function validateSelectors(
  selectors: readonly DeviceSelector[],
  path: FieldPath,
): FieldError[] {
  return validateList(path, selectors, maxItems, ({ cel }, place) => {
    if (!cel) return [required(place.child("cel"))];
    const { expression = "" } = cel;
    return validateDeviceExpression(place.child("cel").child("expression"), expression);
  });
}

function validateConstraint(
  { requests = [], matchAttribute, distinctAttribute }: DeviceConstraint,
  path: FieldPath,
  names: ReadonlySet<string>,
): FieldError[] {
  const errors = validateReferences(requests, path.child("requests"), names);
  // The declared rules do not check an attribute that is set but empty.
  if (matchAttribute === "") {
    return [...errors, ...validateFullyQualified(path.child("matchAttribute"), "")];
  }
  if (matchAttribute !== undefined || distinctAttribute !== undefined) return errors;
  const detail =
    'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [...errors, required(path, detail)];
}

/** Validation errors of driver parameters and of their references to requests. */
export function validateConfiguration(
  { requests = [], opaque }: DeviceClaimConfiguration,
  path: FieldPath,
  names: ReadonlySet<string>,
): FieldError[] {
  const errors = validateReferences(requests, path.child("requests"), names);
  if (!opaque) return [...errors, required(path.child("opaque"))];
  const at = path.child("opaque");
  append(errors, validateDriverName(at.child("driver"), opaque.driver ?? ""));
  return [
    ...errors,
    ...validateJsonObject(at.child("parameters"), opaque.parameters, maxParameterBytes),
  ];
}

/** Validation errors of a value that must be a JSON object with any fields. */
export function validateJsonObject(path: FieldPath, data: unknown, maxBytes: number): FieldError[] {
  if (data === undefined || data === null) return [required(path)];
  if (isLongerThan(writeJson(data), maxBytes)) return [tooLong(path, maxBytes)];
  if (typeof data === "object" && !Array.isArray(data)) return [];
  return [invalid(path, "<value omitted>", "must be a valid JSON object")];
}

function validateReferences(
  requests: readonly string[],
  path: FieldPath,
  names: ReadonlySet<string>,
): FieldError[] {
  return validateList(
    path,
    requests,
    maxRequests,
    (name, place) => validateReference(name, place, names),
    (name) => name,
  );
}

/** Validation errors of a reference to a request of the claim. */
export function validateReference(
  name: string,
  path: FieldPath,
  names: ReadonlySet<string>,
): FieldError[] {
  const segments = name.split("/");
  const errors =
    segments.length > 2 ? [] : segments.flatMap((part) => validateLabelName(path, part));
  if (names.has(name)) return errors;
  const detail =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  return [...errors, invalid(path, name, detail)];
}
