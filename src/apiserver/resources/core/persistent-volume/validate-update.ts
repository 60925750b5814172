import type { Field, Schema, StructSchema } from "#/api/base/schema.ts";
import {
  type NodeSelector,
  type PersistentVolume,
  type PersistentVolumeSpec,
  persistentVolumes,
} from "#/api/core/v1.ts";
import { type FieldError, forbidden, invalid, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded, RequestContext } from "../../../registry/strategy.ts";
import { internalForm, internalJson } from "../../rules/internal-form.ts";
import { unifiedDiff } from "../../rules/unified-diff.ts";

/**
 * The immutable fields of a persistent volume.
 *
 * Upstream: pkg/apis/core/validation/validation.go (ValidatePersistentVolumeUpdate).
 */

/** Fields of the spec that are not sources. */
const others: ReadonlySet<string> = new Set([
  "capacity",
  "accessModes",
  "claimRef",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "mountOptions",
  "volumeMode",
  "nodeAffinity",
  "volumeAttributesClassName",
]);

/** Validation errors of an update of a persistent volume's spec. */
export function validatePersistentVolumeUpdate(
  { spec }: Decoded<PersistentVolume>,
  { spec: old }: Decoded<PersistentVolume>,
  context: RequestContext,
): FieldError[] {
  const errors = validateSameSource(spec, old);
  if (spec.volumeMode !== old.volumeMode) {
    const shown = new JsonValue(spec.volumeMode ?? null);
    errors.push(invalid(fieldPath("volumeMode"), shown, immutableMessage));
  }
  if (old.nodeAffinity && !context.enabled("MutablePVNodeAffinity")) {
    append(errors, validateSameAffinity(spec, old));
  }
  const { volumeAttributesClassName: className } = spec;
  if (old.volumeAttributesClassName !== undefined && className === undefined) {
    const path = fieldPath("spec", "volumeAttributesClassName");
    errors.push(forbidden(path, "update from non-nil value to nil is forbidden"));
  }
  return errors;
}

function validateSameSource(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): FieldError[] {
  const [after, before] = [sourceOf(spec), sourceOf(old)];
  // A secret for expansion may be added.
  const { csi } = before;
  if (after.csi && csi && csi.controllerExpandSecretRef === undefined) {
    const { controllerExpandSecretRef, ...rest } = after.csi;
    after.csi = rest;
  }
  if (deepEqual(after, before)) return [];
  const schema = sourceSchema();
  const diff = unifiedDiff(internalJson(before, schema), internalJson(after, schema));
  const detail = `spec.persistentvolumesource is immutable after creation\n${diff}`;
  return [forbidden(fieldPath("spec", "persistentvolumesource"), detail)];
}

function sourceOf(spec: PersistentVolumeSpec): Partial<PersistentVolumeSpec> {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !others.has(name)));
}

function specSchema(): StructSchema {
  const spec = schemaOf(persistentVolumes).fields.get("spec")?.schema;
  if (spec?.type !== "struct") throw new Error("a persistent volume has a spec");
  return spec;
}

function sourceSchema(): StructSchema {
  const spec = specSchema();
  const fields = [...spec.fields].filter(([name]) => !others.has(name));
  return { ...spec, fields: new Map<string, Field>(fields) };
}

const gaLabels: ReadonlyMap<string, string> = new Map([
  ["beta.kubernetes.io/arch", "kubernetes.io/arch"],
  ["beta.kubernetes.io/os", "kubernetes.io/os"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"],
]);

function validateSameAffinity(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): FieldError[] {
  const before = old.nodeAffinity?.required;
  const after = spec.nodeAffinity?.required;
  if (deepEqual(spec.nodeAffinity, old.nodeAffinity)) return [];
  if (before && after && deepEqual(after, withGaLabels(before, after))) return [];
  const schema: Schema = specSchema().fields.get("nodeAffinity")?.schema ?? specSchema();
  const shown = spec.nodeAffinity ? internalForm(spec.nodeAffinity, schema) : null;
  const detail = `${immutableMessage}, except for updating from beta label to GA`;
  return [invalid(fieldPath("nodeAffinity"), shown, detail)];
}

/** The old selector, with each beta label renamed if the new selector has its stable name. */
function withGaLabels(old: NodeSelector, next: NodeSelector): NodeSelector {
  return {
    nodeSelectorTerms: (old.nodeSelectorTerms ?? []).map((term, index) => ({
      ...term,
      ...(term.matchExpressions
        ? {
            matchExpressions: term.matchExpressions.map((expression, place) => {
              const key = next.nodeSelectorTerms?.[index]?.matchExpressions?.[place]?.key;
              const renamed = key !== undefined && gaLabels.get(expression.key) === key;
              return renamed ? { ...expression, key } : expression;
            }),
          }
        : {}),
    })),
  };
}
