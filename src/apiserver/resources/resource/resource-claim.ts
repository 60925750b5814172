import { type ResourceClaim, type ResourceClaimStatus, resourceClaims } from "#/api/resource/v1.ts";
import { resourceClaims as resourceClaimsBeta1 } from "#/api/resource/v1beta1.ts";
import { resourceClaims as resourceClaimsBeta2 } from "#/api/resource/v1beta2.ts";
import { deepEqual } from "#/machinery/deep-equal.ts";
import { type FieldError, forbidden, invalid, required } from "#/machinery/field-error.ts";
import { fieldPath } from "#/machinery/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/names.ts";
import { immutableMessage } from "#/machinery/object-meta.ts";
import { type ApiObject, type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../age.ts";
import { keepStatus } from "../keep-spec.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../object-meta-rules.ts";
import { validateAdminAccess, validateAdminStatus } from "./admin-access.ts";
import {
  requestNames,
  setClaimDefaults,
  validateClaimSpec,
  validateConfiguration,
  validateList,
  validateReference,
} from "./claim-spec.ts";
import { gatherRequests, spreadRequests } from "./convert-beta.ts";
import { validateDriverName, validateLabelName, validatePoolName } from "./device-names.ts";

type Claim = Decoded<ResourceClaim>;

const specPath = fieldPath("spec");
const statusPath = fieldPath("status");
const maxConsumers = 256;
const maxResults = 32;
const specOf = (object: ApiObject) => (object as Claim).spec;

/**
 * Upstream: pkg/registry/resource/resourceclaim/strategy.go,
 * pkg/apis/resource/validation/validation.go.
 */
export const resourceClaim = serve(resourceClaims, {
  versions: [
    { handle: resourceClaimsBeta2 },
    {
      handle: resourceClaimsBeta1,
      toStored(object) {
        gatherRequests(specOf(object));
        return object;
      },
      fromStored(object) {
        spreadRequests(specOf(object));
        return object;
      },
    },
  ],
  returnsDeletedObject: true,
  setDefaults: ({ spec }) => setClaimDefaults(spec),
  prepareForCreate(object) {
    object.status = {};
  },
  prepareForUpdate: keepStatus,
  validate: ({ metadata, spec }, context) => [
    ...validateAdminAccess(spec.devices ?? {}, context),
    ...validateNamespacedMeta(metadata, nameIsDNSSubdomain),
    ...validateClaimSpec(spec, specPath),
  ],
  validateUpdate: ({ metadata, spec }, old) => [
    ...validateMetaUpdate(metadata, old.metadata),
    ...(deepEqual(spec, old.spec) ? [] : [invalid(specPath, null, immutableMessage)]),
  ],
  resetFields: ["status"],
  status: {
    validateUpdate: (object, old, context) => [
      ...validateAdminStatus(object.status, old.status, context),
      ...validateStatus(object, old),
    ],
    resetFields: ["metadata", "spec"],
  },
  columns: [nameColumn, { name: "State", type: "string", cell: shownState }, ageColumn],
});

function shownState({ metadata, status }: Claim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  if (!status?.allocation) return isDeleted ? "deleted" : "pending";
  const reserved = (status.reservedFor?.length ?? 0) > 0 ? ",reserved" : "";
  return `${isDeleted ? "deleted," : ""}allocated${reserved}`;
}

function validateStatus(object: Claim, old: Claim): FieldError[] {
  const { status = {}, metadata, spec } = object;
  const { reservedFor = [], allocation } = status;
  const before = old.status ?? {};
  const errors = validateMetaUpdate(metadata, old.metadata);
  errors.push(...validateConsumers(reservedFor));
  const path = statusPath.child("reservedFor");
  if (reservedFor.length > 0 && !allocation) {
    errors.push(forbidden(path, "may not be specified when `allocated` is not set"));
  } else if (metadata.deletionTimestamp && addsConsumers(status, before)) {
    const detail =
      "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
    errors.push(forbidden(path, detail));
  }
  if (!allocation) return errors;
  if (!before.allocation)
    return [...errors, ...validateAllocation(allocation, requestNames(spec.devices ?? {}))];
  if (deepEqual(allocation, before.allocation)) return errors;
  return [...errors, invalid(statusPath.child("allocation"), allocation, immutableMessage)];
}

const addsConsumers = (status: ResourceClaimStatus, before: ResourceClaimStatus): boolean =>
  (status.reservedFor ?? []).some(
    (consumer) => !before.reservedFor?.some((known) => deepEqual(known, consumer)),
  );

function validateConsumers(consumers: NonNullable<ResourceClaimStatus["reservedFor"]>) {
  return validateList(
    statusPath.child("reservedFor"),
    consumers,
    maxConsumers,
    (consumer, path) =>
      (["resource", "name", "uid"] as const).flatMap((field) =>
        consumer[field] ? [] : [required(path.child(field))],
      ),
    ({ uid }) => uid,
  );
}

function validateAllocation(
  { devices = {} }: NonNullable<ResourceClaimStatus["allocation"]>,
  names: ReadonlySet<string>,
): FieldError[] {
  const path = statusPath.child("allocation").child("devices");
  return [
    ...validateList(path.child("results"), devices.results ?? [], maxResults, (result, at) => [
      ...validateReference(result.request ?? "", at.child("request"), names),
      ...validateLabelName(at.child("device"), result.device ?? ""),
      ...validateDriverName(at.child("driver"), result.driver ?? ""),
      ...validatePoolName(at.child("pool"), result.pool ?? ""),
    ]),
    ...validateList(path.child("config"), devices.config ?? [], 2 * maxResults, (config, at) =>
      validateConfiguration(config, at, names),
    ),
  ];
}
