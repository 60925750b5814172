import { type ResourceClaim, resourceClaims } from "#/api/resource/v1.ts";
import { resourceClaims as resourceClaimsBeta1 } from "#/api/resource/v1beta1.ts";
import { resourceClaims as resourceClaimsBeta2 } from "#/api/resource/v1beta2.ts";
import { invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type ApiObject, type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { keepStatus } from "../rules/keep-spec.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import { validateAdminAccess, validateAdminStatus } from "./admin-access.ts";
import { setClaimDefaults, validateClaimSpec } from "./claim-spec.ts";
import { validateClaimStatus } from "./claim-status.ts";
import { gatherRequests, spreadRequests } from "./convert-beta.ts";
import { dropDisabledClaimFields } from "./drop-disabled-fields.ts";

type Claim = Decoded<ResourceClaim>;

const specPath = fieldPath("spec");
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
  prepareForCreate(object, context) {
    object.status = {};
    dropDisabledClaimFields(object.spec, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    dropDisabledClaimFields(object.spec, old.spec, context);
  },
  validate: ({ metadata, spec }, context) => [
    ...validateAdminAccess(spec.devices ?? {}, context),
    ...validateNamespacedMeta(metadata, nameIsDNSSubdomain),
    ...validateClaimSpec(spec, specPath, context),
  ],
  validateUpdate: ({ metadata, spec }, old) => [
    ...validateNamespacedMeta(metadata, nameIsDNSSubdomain),
    ...validateMetaUpdate(metadata, old.metadata),
    ...(deepEqual(spec, old.spec) ? [] : [invalid(specPath, null, immutableMessage)]),
  ],
  resetFields: ["status"],
  status: {
    validateUpdate: (object, old, context) => [
      ...validateAdminStatus(object.status, old.status, context),
      ...validateClaimStatus(object, old),
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
