import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimStatus,
} from "#/api/resource/v1.ts";
import { validateConditions } from "#/machinery/meta/conditions.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  required,
  tooMany,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { validateInterfaceAddress } from "#/machinery/meta/ip-rules.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { withDeclared } from "../rules/declared-rules.ts";
import { validateNodeSelector } from "../rules/node-selector.ts";
import { validateMetaUpdate } from "../rules/object-meta-rules.ts";
import {
  requestNames,
  validateConfiguration,
  validateJsonObject,
  validateList,
  validateReference,
} from "./claim-spec.ts";
import { declaredStatusErrors } from "./declared-status.ts";
import { validateLabelName, validateOwnDriverName, validatePoolName } from "./device-names.ts";
import { validateDeviceToleration } from "./device-taints.ts";
import { validateBinding } from "./validate-device.ts";

/** Upstream: pkg/apis/resource/validation/validation.go. */
const maxConsumers = 256;
const maxResults = 32;
const maxConditions = 8;
const maxDataBytes = 10 * 1024;
const statusPath = fieldPath("status");

type Claim = Decoded<ResourceClaim>;

/** Validation errors of a claim's new status. */
export function validateClaimStatus(object: Claim, old: Claim): FieldError[] {
  const { status = {}, metadata, spec } = object;
  const before = old.status ?? {};
  const errors = validateMetaUpdate(metadata, old.metadata);
  append(errors, validateConsumers(status, before, metadata.deletionTimestamp !== undefined));
  if (status.allocation && !before.allocation) {
    append(errors, validateAllocation(status.allocation, requestNames(spec.devices ?? {})));
  }
  return withDeclared(errors, declaredStatusErrors(statusPath, status, before));
}

function validateConsumers(
  status: ResourceClaimStatus,
  before: ResourceClaimStatus,
  isDeleted: boolean,
): FieldError[] {
  const { reservedFor = [], allocation, devices = [] } = status;
  const path = statusPath.child("reservedFor");
  const errors = validateList(path, reservedFor, maxConsumers, (consumer, at) =>
    (["resource", "name", "uid"] as const).flatMap((field) =>
      consumer[field] ? [] : [required(at.child(field))],
    ),
  );
  const allocated = new Set((allocation?.devices?.results ?? []).map(deviceId));
  devices.forEach((device, index) => {
    append(errors, validateDevice(device, statusPath.child("devices").index(index), allocated));
  });
  if (reservedFor.length > 0 && !allocation) {
    errors.push(forbidden(path, "may not be specified when `allocated` is not set"));
  } else if (isDeleted && addsConsumers(status, before)) {
    const detail =
      "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
    errors.push(forbidden(path, detail));
  }
  return errors;
}

function addsConsumers(status: ResourceClaimStatus, before: ResourceClaimStatus): boolean {
  const known = new Set(before.reservedFor?.map(consumerKey));
  return (status.reservedFor ?? []).some((consumer) => !known.has(consumerKey(consumer)));
}

const consumerKey = ({ apiGroup, resource, name, uid }: ResourceClaimConsumerReference): string =>
  JSON.stringify([apiGroup, resource, name, uid]);

interface Identified {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly shareID?: string | undefined;
}

const shownId = ({ driver = "", pool = "", device = "", shareID = "" }: Identified) => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});
const deviceId = (device: Identified): string => JSON.stringify(shownId(device));

function validateDevice(
  device: AllocatedDeviceStatus,
  path: FieldPath,
  allocated: ReadonlySet<string>,
): FieldError[] {
  const { driver = "", pool = "", device: name = "", conditions = [], data, networkData } = device;
  const errors = [
    ...validateOwnDriverName(path.child("driver"), driver),
    ...validatePoolName(path.child("pool"), pool),
    ...validateLabelName(path.child("device"), name),
  ];
  if (!allocated.has(deviceId(device))) {
    errors.push(invalid(path, shownId(device), "must be an allocated device in the claim"));
  }
  if (conditions.length > maxConditions) {
    errors.push(tooMany(path.child("conditions"), conditions.length, maxConditions));
  }
  append(errors, validateConditions(conditions, path.child("conditions")));
  if (data !== undefined)
    append(errors, validateJsonObject(path.child("data"), data, maxDataBytes));
  const addresses = path.child("networkData").child("ips");
  networkData?.ips?.forEach((address, index) => {
    append(errors, validateInterfaceAddress(addresses.index(index), address));
  });
  return errors;
}

function validateAllocation(
  { devices = {}, nodeSelector }: AllocationResult,
  names: ReadonlySet<string>,
): FieldError[] {
  const at = statusPath.child("allocation");
  const path = at.child("devices");
  const { results = [], config = [] } = devices;
  return [
    ...validateList(path.child("results"), results, maxResults, (result, place) =>
      validateResult(result, place, names),
    ),
    ...validateList(
      path.child("config"),
      config,
      2 * maxResults,
      (one: DeviceAllocationConfiguration, place) => validateConfiguration(one, place, names),
    ),
    ...(nodeSelector
      ? validateNodeSelector(nodeSelector, at.child("nodeSelector"), { allowInvalidValues: false })
      : []),
  ];
}

function validateResult(
  result: DeviceRequestAllocationResult,
  path: FieldPath,
  names: ReadonlySet<string>,
): FieldError[] {
  return [
    ...validateReference(result.request ?? "", path.child("request"), names),
    ...validateLabelName(path.child("device"), result.device ?? ""),
    ...validateBinding(result, path),
    ...(result.tolerations ?? []).flatMap((toleration, index) =>
      validateDeviceToleration(path.child("tolerations").index(index), toleration),
    ),
  ];
}
