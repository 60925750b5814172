import { type EvictionRequest, evictionRequests } from "#/api/lifecycle/v1alpha1.ts";
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
import { evictionRequestSpec } from "./eviction-rules.ts";

type Request = Decoded<EvictionRequest>;

const specPath = fieldPath("spec");
const reservedSuffixes = [".k8s.io", ".kubernetes.io"];

/** Upstream: pkg/registry/lifecycle/evictionrequest/strategy.go, pkg/apis/lifecycle/validation/validation.go. */
export const evictionRequest = serve(evictionRequests, {
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
  validate(object, context) {
    const report = new FieldReport();
    report.add(validateNamespacedMeta(object.metadata, nameIsDNSSubdomain));
    validateSpec(report, object, undefined, context);
    return report.errors;
  },
  validateUpdate(object, old, context) {
    const report = new FieldReport();
    report.add(validateMetaUpdate(object.metadata, old.metadata));
    validateSpec(report, object, old, context);
    return report.errors;
  },
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
  report: FieldReport,
  { spec }: Request,
  old: Request | undefined,
  { enabled }: RequestContext,
): void {
  const scope = { isUpdate: old !== undefined, enabled };
  const rules = evictionRequestSpec;
  validateDeclared(report, specPath, { value: spec, old: old?.spec, rules }, scope);
  const [domain = ""] = spec.requester.toLowerCase().split("/", 1);
  const isReserved = reservedSuffixes.some((suffix) => `.${domain}`.endsWith(suffix));
  if (old || !isReserved) return;
  const detail = "domain names *.k8s.io, *.kubernetes.io are reserved";
  report.invalid(specPath, "requester", spec.requester, detail);
}
