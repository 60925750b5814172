import { type Eviction, evictions } from "#/api/lifecycle/v1alpha1.ts";
import { validateConditions } from "#/machinery/conditions.ts";
import { deepEqual } from "#/machinery/deep-equal.ts";
import { fieldPath } from "#/machinery/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/names.ts";
import { type Decoded, type RequestContext, serve } from "../../registry/strategy.ts";
import { FieldReport } from "../core/pod-spec/field-report.ts";
import { validateDeclared } from "../declared-rules.ts";
import { keepMetadata } from "../keep-metadata.ts";
import { keepSpec, keepStatus } from "../keep-spec.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../object-meta-rules.ts";
import { evictionSpec } from "./eviction-rules.ts";

/** Upstream: pkg/registry/lifecycle/eviction/strategy.go, pkg/apis/lifecycle/validation/validation.go. */
export const eviction = serve(evictions, {
  gate: "EvictionRequestAPI",
  allowUnconditionalUpdate: false,
  prepareForCreate(object) {
    object.status = {};
    object.metadata.generation = 1;
  },
  prepareForUpdate(object, old) {
    keepStatus(object, old);
    if (!deepEqual(object.spec, old.spec)) {
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
  },
  validate: (object, context) => [
    ...validateNamespacedMeta(object.metadata, nameIsDNSSubdomain),
    ...validateSpec(object, undefined, context),
  ],
  validateUpdate: (object, old, context) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateSpec(object, old, context),
  ],
  resetFields: ["status"],
  status: {
    prepareForUpdate(object, old) {
      keepMetadata(object.metadata, old.metadata);
      keepSpec(object, old);
    },
    validateUpdate: (object, old) => [
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...validateConditions(object.status?.conditions ?? [], fieldPath("status", "conditions")),
    ],
    resetFields: ["spec", "metadata"],
  },
});

function validateSpec(
  { spec }: Decoded<Eviction>,
  old: Decoded<Eviction> | undefined,
  { enabled }: RequestContext,
) {
  const report = new FieldReport();
  const change = { value: spec, old: old?.spec, rules: evictionSpec };
  validateDeclared(report, fieldPath("spec"), change, { isUpdate: old !== undefined, enabled });
  return report.errors;
}
