import {
  type ResourcePoolStatusRequest,
  resourcePoolStatusRequests,
} from "#/api/resource/v1alpha3.ts";
import { validateConditions } from "#/machinery/meta/conditions.ts";
import { type FieldError, invalid, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type Decoded, type RequestContext, serve } from "../../registry/strategy.ts";
import { FieldReport } from "../rules/field-report.ts";
import { keepMetadata } from "../rules/keep-metadata.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";
import { validateOwnDriverName, validatePoolName } from "./device-names.ts";

type Request = Decoded<ResourcePoolStatusRequest>;

const specPath = fieldPath("spec");
const defaultLimit = 100;
const maxLimit = 1000;

/**
 * Upstream: pkg/registry/resource/resourcepoolstatusrequest/strategy.go,
 * pkg/apis/resource/validation/validation.go.
 */
export const resourcePoolStatusRequest = serve(resourcePoolStatusRequests, {
  allowUnconditionalUpdate: false,
  setDefaults({ spec }) {
    spec.limit ??= defaultLimit;
  },
  prepareForCreate(object, context) {
    delete object.status;
    dropDisabled(object, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    dropDisabled(object, old, context);
  },
  validate: (object) => [
    ...validateClusterMeta(object.metadata, nameIsDNSSubdomain),
    ...validateSpec(object),
  ],
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...(deepEqual(object.spec, old.spec)
      ? []
      : [invalid(specPath, new JsonValue(object.spec), immutableMessage)]),
  ],
  resetFields: ["status"],
  status: {
    prepareForUpdate(object, old) {
      keepSpec(object, old);
      keepMetadata(object.metadata, old.metadata);
    },
    validateUpdate: (object, old) => [
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...validateConditions(object.status?.conditions ?? [], fieldPath("status", "conditions")),
    ],
    resetFields: ["metadata", "spec"],
  },
});

function dropDisabled(object: Request, old: Request | undefined, { enabled }: RequestContext) {
  if (enabled("DRAPartitionableDevicesType")) return;
  if (old?.spec.defaultPartitionTypeAttribute !== undefined) return;
  delete object.spec.defaultPartitionTypeAttribute;
}

function validateSpec({ spec }: Request): FieldError[] {
  const report = new FieldReport();
  if (spec.driver === "") report.required(specPath, "driver");
  else report.add(validateOwnDriverName(specPath.child("driver"), spec.driver));
  if (spec.poolName !== undefined)
    report.add(validatePoolName(specPath.child("poolName"), spec.poolName));
  const { limit = defaultLimit } = spec;
  if (limit < 1) report.invalid(specPath, "limit", limit, "must be greater than or equal to 1");
  if (limit > maxLimit) {
    report.invalid(specPath, "limit", limit, `must be less than or equal to ${maxLimit}`);
  }
  return report.errors;
}
