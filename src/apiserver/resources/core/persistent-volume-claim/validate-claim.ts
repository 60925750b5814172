import type { Schema } from "#/api/base/schema.ts";
import {
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  persistentVolumeClaims,
} from "#/api/core/v1.ts";
import { type FieldError, forbidden, invalid, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { hasInvalidLabelValue } from "#/machinery/meta/label-selector.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { storageClassAnnotation } from "../../rules/access-modes.ts";
import { internalJson } from "../../rules/internal-form.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../../rules/object-meta-rules.ts";
import { unifiedDiff } from "../../rules/unified-diff.ts";
import { validateClaimSpec } from "../pod-spec/volumes/claim-template.ts";
import { alignDataSources } from "./data-sources.ts";

/**
 * Claims and their mutable fields: size, attributes class, and fields that a controller sets.
 *
 * Upstream: pkg/apis/core/validation/validation.go (ValidatePersistentVolumeClaim,
 * ValidatePersistentVolumeClaimUpdate).
 */
type Claim = Decoded<PersistentVolumeClaim>;

/** Validation errors of a claim; old is the claim that an update replaces. */
export function validateClaim({ metadata, spec }: Claim, old?: Claim): FieldError[] {
  const sources = old ? [old.spec.dataSource, old.spec.dataSourceRef] : [];
  return [
    ...validateNamespacedMeta(metadata, nameIsDNSSubdomain),
    ...validateClaimSpec(spec, fieldPath("spec"), {
      enabled: () => true,
      allowInvalidLabelValueInSelector: hasInvalidLabelValue(old?.spec.selector),
      allowInvalidAPIGroup: sources.some((source) => source?.apiGroup !== undefined),
    }),
  ];
}

/** Validation errors of an update of a claim. */
export function validateClaimUpdate(claim: Claim, old: Claim): FieldError[] {
  const errors = [
    ...validateMetaUpdate(claim.metadata, old.metadata),
    ...validateClaim(claim, old),
  ];
  const before = deepCopy(old.spec);
  alignDataSources(before);
  const after = deepCopy(claim.spec);
  if (!before.volumeName && after.volumeName) before.volumeName = after.volumeName;
  append(errors, allowStorageClass(claim, old, after));
  if (claim.status?.phase === "Bound") allowBoundChanges(before, after);
  if (!deepEqual(after, before)) {
    const schema = specSchema();
    const diff = unifiedDiff(internalJson(before, schema), internalJson(after, schema));
    const detail = `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${diff}`;
    errors.push(forbidden(fieldPath("spec"), detail));
  }
  append(errors, validateSize(claim, old));
  if (claim.spec.volumeMode !== old.spec.volumeMode) {
    const shown = new JsonValue(claim.spec.volumeMode ?? null);
    errors.push(invalid(fieldPath("volumeMode"), shown, immutableMessage));
  }
  append(errors, validateAttributesClass(claim, old));
  return errors;
}

function specSchema(): Schema {
  const field = schemaOf(persistentVolumeClaims).fields.get("spec");
  if (!field) throw new Error("a claim has a spec");
  return field.schema;
}

/** A storage class may be set if there was none, or move from the annotation to the field. */
function allowStorageClass(
  claim: Claim,
  old: Claim,
  after: PersistentVolumeClaimSpec,
): FieldError[] {
  const annotation = claim.metadata.annotations?.[storageClassAnnotation];
  const oldAnnotation = old.metadata.annotations?.[storageClassAnnotation];
  const name = claim.spec.storageClassName;
  const isNew = old.spec.storageClassName === undefined && name !== undefined;
  if (
    isNew &&
    oldAnnotation !== undefined &&
    name === oldAnnotation &&
    (annotation === undefined || annotation === oldAnnotation)
  ) {
    delete after.storageClassName;
    return [];
  }
  if (isNew && (oldAnnotation === undefined || name === oldAnnotation)) {
    delete after.storageClassName;
  }
  if ((annotation ?? "") === (oldAnnotation ?? "")) return [];
  const path = fieldPath("metadata", "annotations", storageClassAnnotation);
  return [invalid(path, annotation ?? "", immutableMessage)];
}

/** A bound claim may request another size and another attributes class. */
function allowBoundChanges(
  before: PersistentVolumeClaimSpec,
  after: PersistentVolumeClaimSpec,
): void {
  if (after.resources?.requests) {
    after.resources.requests["storage"] = before.resources?.requests?.["storage"] ?? "0";
  }
  if (before.volumeAttributesClassName === undefined) delete after.volumeAttributesClassName;
  else after.volumeAttributesClassName = before.volumeAttributesClassName;
}

function validateSize({ spec }: Claim, old: Claim): FieldError[] {
  const size = parseQuantity(spec.resources?.requests?.["storage"] ?? "0");
  const oldSize = parseQuantity(old.spec.resources?.requests?.["storage"] ?? "0");
  if (size.compare(oldSize) >= 0) return [];
  const actual = parseQuantity(old.status?.capacity?.["storage"] ?? "0");
  if (size.compare(actual) > 0) return [];
  const path = fieldPath("spec", "resources", "requests", "storage");
  return [forbidden(path, "field can not be less than status.capacity")];
}

function validateAttributesClass({ spec }: Claim, old: Claim): FieldError[] {
  const name = spec.volumeAttributesClassName;
  if (name === old.spec.volumeAttributesClassName) return [];
  if (old.status?.currentVolumeAttributesClassName === undefined) return [];
  const path = fieldPath("spec", "volumeAttributesClassName");
  const when = "is forbidden when status.currentVolumeAttributesClassName is not nil";
  if (name === undefined) return [forbidden(path, `update to nil ${when}`)];
  return name === "" ? [forbidden(path, `update to empty string ${when}`)] : [];
}
