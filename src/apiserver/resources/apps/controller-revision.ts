import { type ControllerRevision, controllerRevisions } from "#/api/apps/v1.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";

const revisionPath = fieldPath("revision");
const dataPath = fieldPath("data");

/** Upstream: pkg/registry/apps/controllerrevision/strategy.go, pkg/apis/apps/validation/validation.go. */
export const controllerRevision = serve(controllerRevisions, {
  validate(object) {
    const report = validateRevision(object);
    const { data } = object;
    if (data === undefined || data === null) report.required(dataPath, "", "data is mandatory");
    else if (typeof data !== "object" || Array.isArray(data)) {
      report.required(dataPath, "", "data must be a valid JSON object");
    }
    return report.errors;
  },
  validateUpdate(object, old): FieldError[] {
    const report = new FieldReport();
    report.add(validateMetaUpdate(object.metadata, old.metadata));
    report.add(validateRevision(object).errors);
    if (!deepEqual(object.data, old.data)) {
      report.invalid(dataPath, "", new JsonValue(object.data ?? null), immutableMessage);
    }
    return report.errors;
  },
  columns: [
    nameColumn,
    { name: "Controller", type: "string", cell: controllerName },
    { name: "Revision", type: "string", cell: ({ revision }) => revision },
    ageColumn,
  ],
});

function validateRevision({ metadata, revision }: Decoded<ControllerRevision>): FieldReport {
  const report = new FieldReport();
  report.add(validateNamespacedMeta(metadata, nameIsDNSSubdomain));
  report.nonNegative(revisionPath, "", revision);
  return report;
}

/** The kind of the controller, in its group, and its name. */
function controllerName({ metadata }: Decoded<ControllerRevision>): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (!owner) return "<none>";
  const slash = owner.apiVersion.indexOf("/");
  const group = slash < 0 ? "" : `.${owner.apiVersion.slice(0, slash)}`;
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}
