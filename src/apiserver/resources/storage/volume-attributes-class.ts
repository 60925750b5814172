import { type VolumeAttributesClass, volumeAttributesClasses } from "#/api/storage/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";
import { validateParameters, validateProvisioner } from "./class-parameters.ts";

const driverPath = fieldPath("driverName");
const parametersPath = fieldPath("parameters");

/** Upstream: pkg/registry/storage/volumeattributesclass/strategy.go, pkg/apis/storage/validation/validation.go. */
export const volumeAttributesClass = serve(volumeAttributesClasses, {
  returnsDeletedObject: true,
  validate(object) {
    const report = new FieldReport();
    validateClass(report, object);
    return report.errors;
  },
  validateUpdate(object, old) {
    const report = new FieldReport();
    report.add(validateMetaUpdate(object.metadata, old.metadata));
    if (object.driverName !== old.driverName) {
      report.forbidden(driverPath, "", "updates to driverName are forbidden.");
    }
    if (!deepEqual(object.parameters, old.parameters)) {
      report.forbidden(parametersPath, "", "updates to parameters are forbidden.");
    }
    validateClass(report, object);
    return report.errors;
  },
  columns: [
    nameColumn,
    { name: "DriverName", type: "string", cell: ({ driverName }) => driverName },
    ageColumn,
  ],
});

function validateClass(
  report: FieldReport,
  { metadata, driverName, parameters = {} }: Decoded<VolumeAttributesClass>,
): void {
  report.add(validateClusterMeta(metadata, nameIsDNSSubdomain));
  if (driverName === "") report.required(driverPath, "");
  validateProvisioner(report, driverPath, driverName);
  validateParameters(report, parametersPath, parameters);
  if (Object.keys(parameters).length === 0) {
    report.required(parametersPath, "", "must contain at least one key/value pair");
  }
}
