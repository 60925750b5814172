import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedObjectReference,
} from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelSelector, validateLabels } from "#/machinery/meta/label-selector.ts";
import { isDNS1123Subdomain, nameIsDNSLabel, nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { validateAnnotations } from "#/machinery/meta/object-meta.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { validateAccessModes } from "../../../rules/access-modes.ts";
import { FieldReport } from "../../../rules/field-report.ts";

/**
 * Claims of ephemeral volumes.
 *
 * Upstream: pkg/apis/core/validation/validation.go.
 */

/** Options of the validation of a claim. */
interface ClaimValidationOptions {
  enabled(feature: string): boolean;
  readonly allowInvalidLabelValueInSelector?: boolean;
  readonly allowInvalidAPIGroup?: boolean;
}

/** Validation errors of a claim template. */
export function validateClaimTemplate(
  { metadata, spec }: PersistentVolumeClaimTemplate,
  path: FieldPath,
  options: Pick<ClaimValidationOptions, "enabled">,
): FieldError[] {
  return [
    ...validateTemplateMeta(metadata, path.child("metadata")),
    ...validateClaimSpec(spec, path.child("spec"), { enabled: options.enabled }),
  ];
}

/** Validation errors of the metadata of a template: only labels and annotations are allowed. */
export function validateTemplateMeta(metadata: ObjectMeta, path: FieldPath): FieldError[] {
  const report = new FieldReport();
  report.add(validateAnnotations(metadata.annotations, path.child("annotations")));
  report.add(validateLabels(metadata.labels, path.child("labels")));
  for (const [field, goField] of fieldsNotAllowed) {
    if (metadata[field] !== undefined) report.forbidden(path, goField, "cannot be set");
  }
  return report.errors;
}

/** Fields in Go's order, with Go's spelling if it differs. */
const fieldsNotAllowed: readonly (readonly [keyof ObjectMeta, string])[] = [
  ["name", "name"],
  ["generateName", "generateName"],
  ["namespace", "namespace"],
  ["selfLink", "selfLink"],
  ["uid", "uID"],
  ["resourceVersion", "resourceVersion"],
  ["generation", "generation"],
  ["creationTimestamp", "creationTimestamp"],
  ["deletionTimestamp", "deletionTimestamp"],
  ["deletionGracePeriodSeconds", "deletionGracePeriodSeconds"],
  ["ownerReferences", "ownerReferences"],
  ["finalizers", "finalizers"],
  ["managedFields", "managedFields"],
];

const volumeModes = ["Block", "Filesystem"];

/** Validation errors of the spec of a claim. */
export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec,
  path: FieldPath,
  options: ClaimValidationOptions,
): FieldError[] {
  const report = new FieldReport();
  validateAccess(report, path, spec, options);
  validateStorageRequest(report, path, spec.resources?.requests?.["storage"]);
  const { storageClassName, volumeMode, volumeAttributesClassName } = spec;
  if (storageClassName) {
    const problems = nameIsDNSSubdomain(storageClassName, false);
    report.problems(path, "storageClassName", storageClassName, problems);
  }
  if (volumeMode !== undefined && !volumeModes.includes(volumeMode)) {
    report.notSupported(path, "volumeMode", volumeMode, volumeModes);
  }
  validateDataSources(report, path, spec, options);
  if (volumeAttributesClassName && options.enabled("VolumeAttributesClass")) {
    const problems = nameIsDNSSubdomain(volumeAttributesClassName, false);
    report.problems(path, "volumeAttributesClassName", volumeAttributesClassName, problems);
  }
  return report.errors;
}

function validateAccess(
  report: FieldReport,
  path: FieldPath,
  { accessModes: modes = [], selector }: PersistentVolumeClaimSpec,
  options: ClaimValidationOptions,
): void {
  if (modes.length === 0) {
    report.required(path, "accessModes", "at least 1 access mode is required");
  }
  const allowInvalidValues = options.allowInvalidLabelValueInSelector === true;
  report.add(validateLabelSelector(selector, path.child("selector"), { allowInvalidValues }));
  validateAccessModes(report, path, modes);
}

function validateStorageRequest(
  report: FieldReport,
  path: FieldPath,
  storage: string | undefined,
): void {
  const at = path.child("resources").key("storage");
  if (storage === undefined) report.required(at, "");
  else if (parseQuantity(storage).sign <= 0) {
    report.invalid(at, "", storage, "must be greater than zero");
  }
}

function validateDataSources(
  report: FieldReport,
  path: FieldPath,
  { dataSource, dataSourceRef }: PersistentVolumeClaimSpec,
  options: ClaimValidationOptions,
): void {
  if (dataSource) validateReference(report, path.child("dataSource"), dataSource, options);
  if (dataSourceRef) validateReference(report, path.child("dataSourceRef"), dataSourceRef, options);
  if (!dataSource || !dataSourceRef) return;
  // Upstream shows the path instead of the value, which has no JSON fields.
  const shown = new JsonValue({});
  if (dataSourceRef.namespace) {
    const detail = "may not be specified when dataSourceRef.namespace is specified";
    report.invalid(path, "", shown, detail);
  } else if (
    (dataSource.apiGroup ?? null) !== (dataSourceRef.apiGroup ?? null) ||
    dataSource.kind !== dataSourceRef.kind ||
    dataSource.name !== dataSourceRef.name
  ) {
    report.invalid(path, "", shown, "must match dataSourceRef");
  }
}

function validateReference(
  report: FieldReport,
  path: FieldPath,
  { apiGroup = "", kind, name, namespace }: TypedObjectReference,
  options: ClaimValidationOptions,
): void {
  if (!name) report.required(path, "name");
  if (!kind) report.required(path, "kind");
  if (apiGroup === "" && kind !== "PersistentVolumeClaim") {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    report.invalid(path, "", kind, detail);
  }
  if (apiGroup !== "" && !options.allowInvalidAPIGroup) {
    report.problems(path, "apiGroup", apiGroup, isDNS1123Subdomain(apiGroup));
  }
  if (namespace) report.problems(path, "namespace", namespace, nameIsDNSLabel(namespace, false));
}
