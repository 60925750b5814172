import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from "#/api/core/v1.ts";
import { type StorageClass, storageClasses } from "#/api/storage/v1.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelName } from "#/machinery/meta/label-selector.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { repeatedIndices } from "#/std/base/by-key.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { deprecatedNodeLabel } from "../rules/node-selector.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";
import { validateParameters, validateProvisioner } from "./class-parameters.ts";

const reclaimPolicies = ["Delete", "Retain"];
const bindingModes = ["Immediate", "WaitForFirstConsumer"];
const fixed = ["provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"] as const;

/**
 * Upstream: pkg/registry/storage/storageclass/strategy.go, pkg/apis/storage/validation/validation.go,
 * pkg/apis/storage/v1/{defaults,zz_generated.validations}.go, pkg/api/storage/util.go.
 */
export const storageClass = serve(storageClasses, {
  returnsDeletedObject: true,
  setDefaults(object) {
    object.reclaimPolicy ??= "Delete";
    object.volumeBindingMode ??= "Immediate";
  },
  validate(object) {
    const report = validateStorageClass(object);
    if (object.provisioner === "") report.required(fieldPath("provisioner"), "");
    return report.errors;
  },
  validateUpdate(object, old) {
    const report = validateStorageClass(object);
    report.add(validateMetaUpdate(object.metadata, old.metadata));
    validateFixed(report, object, old);
    return report.errors;
  },
  warnings: ({ allowedTopologies = [] }) =>
    allowedTopologies.flatMap(({ matchLabelExpressions = [] }, index) =>
      matchLabelExpressions.flatMap(({ key }, place) => {
        const message = deprecatedNodeLabel(key);
        const at = fieldPath("allowedTopologies").index(index).child("matchLabelExpressions");
        return message === undefined ? [] : [`${at.index(place).child("key")}: ${message}`];
      }),
    ),
  columns: [
    nameColumn,
    { name: "Provisioner", type: "string", cell: ({ provisioner }) => provisioner },
    {
      name: "ReclaimPolicy",
      type: "string",
      cell: ({ reclaimPolicy = "Delete" }) => reclaimPolicy,
    },
    {
      name: "VolumeBindingMode",
      type: "string",
      cell: ({ volumeBindingMode = "Immediate" }) => volumeBindingMode,
    },
    {
      name: "AllowVolumeExpansion",
      type: "string",
      cell: ({ allowVolumeExpansion = false }) => allowVolumeExpansion,
    },
    ageColumn,
  ],
});

function validateStorageClass(object: Decoded<StorageClass>): FieldReport {
  const { reclaimPolicy, volumeBindingMode, allowedTopologies } = object;
  const report = new FieldReport();
  report.add(validateClusterMeta(object.metadata, nameIsDNSSubdomain));
  validateProvisioner(report, fieldPath("provisioner"), object.provisioner);
  validateParameters(report, fieldPath("parameters"), object.parameters);
  if (reclaimPolicy && !reclaimPolicies.includes(reclaimPolicy)) {
    report.notSupported(fieldPath("reclaimPolicy"), "", reclaimPolicy, reclaimPolicies);
  }
  if (volumeBindingMode === undefined) report.required(fieldPath("volumeBindingMode"), "");
  else if (!bindingModes.includes(volumeBindingMode)) {
    report.notSupported(fieldPath("volumeBindingMode"), "", volumeBindingMode, bindingModes);
  }
  validateTopologies(report, fieldPath("allowedTopologies"), allowedTopologies);
  return report;
}

/** Rules that upstream declares with the type. */
function validateFixed(report: FieldReport, object: StorageClass, old: StorageClass): void {
  for (const field of fixed) {
    if (deepEqual(object[field], old[field])) continue;
    if (field === "provisioner" && object.provisioner === "") {
      report.required(fieldPath(field), "");
    }
    report.invalid(fieldPath(field), "", new JsonValue(null), immutableMessage);
  }
}

function validateTopologies(
  report: FieldReport,
  path: FieldPath,
  topologies: readonly TopologySelectorTerm[] = [],
): void {
  const seen = new Set<string>();
  topologies.forEach(({ matchLabelExpressions = [] }, index) => {
    const at = path.index(index);
    const keys = new Map<string, readonly string[]>();
    matchLabelExpressions.forEach((requirement, place) => {
      const here = at.child("matchLabelExpressions").index(place);
      validateRequirement(report, here, requirement);
      if (keys.has(requirement.key)) report.duplicate(here, "key", requirement.key);
      keys.set(requirement.key, [...new Set(requirement.values)].sort());
    });
    const identity = JSON.stringify([...keys].sort());
    // Upstream counts an empty term as one that it has seen.
    if (keys.size === 0 || seen.has(identity)) report.duplicate(at, "matchLabelExpressions", "");
    seen.add(identity);
  });
}

function validateRequirement(
  report: FieldReport,
  path: FieldPath,
  { key, values = [] }: TopologySelectorLabelRequirement,
): void {
  if (values.length === 0) report.required(path, "values");
  for (const index of repeatedIndices(values)) {
    report.duplicate(path.child("values").index(index), "", values[index]);
  }
  report.add(validateLabelName(key, path.child("key")));
}
