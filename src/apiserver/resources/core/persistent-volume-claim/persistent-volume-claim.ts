import { type PersistentVolumeClaim, persistentVolumeClaims } from "#/api/core/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { type Column, type Decoded, serve } from "../../../registry/strategy.ts";
import { formatAccessModes, storageClassAnnotation } from "../../rules/access-modes.ts";
import { ageColumn, nameColumn } from "../../rules/age.ts";
import { keepSpec, keepStatus } from "../../rules/keep-spec.ts";
import { isWhole } from "../../rules/quantity-rules.ts";
import { roundResourceList } from "../pod-spec/base/resource-list-defaults.ts";
import { alignDataSources, dropDataSources } from "./data-sources.ts";
import { validateClaim, validateClaimUpdate } from "./validate-claim.ts";
import { validateClaimStatus } from "./validate-status.ts";

const columns: readonly Column<PersistentVolumeClaim>[] = [
  nameColumn,
  {
    name: "Status",
    type: "string",
    cell: ({ metadata, status }) =>
      metadata.deletionTimestamp ? "Terminating" : (status?.phase ?? ""),
  },
  { name: "Volume", type: "string", cell: ({ spec }) => spec.volumeName ?? "" },
  {
    name: "Capacity",
    type: "string",
    cell: ({ spec, status }) => (spec.volumeName ? (status?.capacity?.["storage"] ?? "0") : ""),
  },
  {
    name: "Access Modes",
    type: "string",
    cell: ({ spec, status }) => (spec.volumeName ? formatAccessModes(status?.accessModes) : ""),
  },
  {
    name: "StorageClass",
    type: "string",
    cell: ({ metadata, spec }) =>
      metadata.annotations?.[storageClassAnnotation] ?? spec.storageClassName ?? "",
  },
  {
    name: "VolumeAttributesClass",
    type: "string",
    cell: ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
  },
  ageColumn,
  {
    name: "VolumeMode",
    type: "string",
    priority: 1,
    cell: ({ spec }) => spec.volumeMode ?? "<unset>",
  },
];

/** Upstream: pkg/registry/core/persistentvolumeclaim/strategy.go, pkg/api/persistentvolumeclaim/util.go. */
export const persistentVolumeClaim = serve(persistentVolumeClaims, {
  returnsDeletedObject: true,
  setDefaults(object) {
    object.status ??= {};
    object.status.phase ||= "Pending";
    object.spec.volumeMode ??= "Filesystem";
    roundResourceList(object.spec.resources?.limits);
    roundResourceList(object.spec.resources?.requests);
    roundResourceList(object.status.capacity);
    roundResourceList(object.status.allocatedResources);
  },
  prepareForCreate(object, context) {
    object.status = { phase: "Pending" };
    dropDataSources(object.spec, undefined, context);
    alignDataSources(object.spec);
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    dropDataSources(object.spec, old.spec, context);
    alignDataSources(object.spec);
  },
  validate: (object) => validateClaim(object),
  validateUpdate: validateClaimUpdate,
  warnings: claimWarnings,
  resetFields: ["status"],
  status: {
    prepareForUpdate(object, old, context) {
      keepSpec(object, old);
      if (old.status?.healthStatus === undefined && !context.enabled("CSIVolumeHealth")) {
        delete object.status?.healthStatus;
      }
    },
    validateUpdate: validateClaimStatus,
    resetFields: ["spec"],
  },
  columns,
});

function claimWarnings({ metadata, spec }: Decoded<PersistentVolumeClaim>): string[] {
  const warnings: string[] = [];
  if (metadata.annotations?.[storageClassAnnotation] !== undefined) {
    const path = fieldPath("metadata", "annotations").key(storageClassAnnotation);
    warnings.push(`${path}: deprecated since v1.8; use "storageClassName" attribute instead`);
  }
  for (const field of ["requests", "limits"] as const) {
    const storage = spec.resources?.[field]?.["storage"];
    if (storage === undefined || isWhole(parseQuantity(storage))) continue;
    const path = fieldPath("spec", "resources", field).key("storage");
    const value = goQuote(storage);
    warnings.push(`${path}: fractional byte value ${value} is invalid, must be an integer`);
  }
  return warnings;
}
