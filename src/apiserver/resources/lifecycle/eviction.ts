import { evictions } from "#/api/lifecycle/v1alpha1.ts";
import { serve } from "../../registry/strategy.ts";
import { conditionsStatus, declaredSpec } from "../rules/declared-spec.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { keepStatus } from "../rules/keep-spec.ts";
import { evictionSpec } from "./eviction-rules.ts";

/** Upstream: pkg/registry/lifecycle/eviction/strategy.go, pkg/apis/lifecycle/validation/validation.go. */
export const eviction = serve(evictions, {
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
  ...declaredSpec(evictionSpec),
  resetFields: ["status"],
  status: conditionsStatus(),
});
