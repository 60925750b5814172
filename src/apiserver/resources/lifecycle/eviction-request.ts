import { type EvictionRequest, evictionRequests } from "#/api/lifecycle/v1alpha1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { serve } from "../../registry/strategy.ts";
import { conditionsStatus, declaredSpec } from "../rules/declared-spec.ts";
import type { FieldReport } from "../rules/field-report.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { keepStatus } from "../rules/keep-spec.ts";
import { evictionRequestSpec } from "./eviction-rules.ts";

const reservedSuffixes = [".k8s.io", ".kubernetes.io"];

/** Upstream: pkg/registry/lifecycle/evictionrequest/strategy.go, pkg/apis/lifecycle/validation/validation.go. */
export const evictionRequest = serve(evictionRequests, {
  gate: "EvictionRequestAPI",
  allowUnconditionalUpdate: false,
  prepareForCreate(object) {
    object.status = {};
    startGeneration(object);
  },
  prepareForUpdate(object, old) {
    keepStatus(object, old);
    countGeneration(object, old);
  },
  ...declaredSpec<EvictionRequest>(evictionRequestSpec, { last: validateRequester }),
  resetFields: ["status"],
  status: conditionsStatus(),
});

function validateRequester(
  report: FieldReport,
  { spec }: EvictionRequest,
  old: EvictionRequest | undefined,
): void {
  const [domain = ""] = spec.requester.toLowerCase().split("/", 1);
  const isReserved = reservedSuffixes.some((suffix) => `.${domain}`.endsWith(suffix));
  if (old || !isReserved) return;
  const detail = "domain names *.k8s.io, *.kubernetes.io are reserved";
  report.invalid(fieldPath("spec"), "requester", spec.requester, detail);
}
