import { horizontalPodAutoscalers as autoscalersV1 } from "#/api/autoscaling/v1.ts";
import {
  type HorizontalPodAutoscaler,
  type HPAScalingRules,
  horizontalPodAutoscalers,
} from "#/api/autoscaling/v2.ts";
import { type Decoded, type RequestContext, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import { autoscalerToV1, autoscalerToV2 } from "./convert-v1.ts";
import { setAutoscalerDefaults } from "./defaults.ts";
import { formatMetrics } from "./format-metrics.ts";
import { validateAutoscaler, validateAutoscalerUpdate } from "./validate-autoscaler.ts";
import { validateAutoscalerStatus } from "./validate-status.ts";

/** Upstream: pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go. */
export const horizontalPodAutoscaler = serve(horizontalPodAutoscalers, {
  versions: [{ handle: autoscalersV1, toStored: autoscalerToV2, fromStored: autoscalerToV1 }],
  setDefaults: setAutoscalerDefaults,
  prepareForCreate(object, context) {
    object.status = { desiredReplicas: 0 };
    if (context.enabled("HPAGeneration")) startGeneration(object);
    dropTolerance(object, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    dropTolerance(object, old, context);
    if (context.enabled("HPAGeneration")) countGeneration(object, old);
  },
  validate: validateAutoscaler,
  validateUpdate: validateAutoscalerUpdate,
  resetFields: ["status"],
  status: {
    prepareForUpdate: keepSpec,
    validateUpdate: validateAutoscalerStatus,
    resetFields: ["spec"],
  },
  columns: [
    nameColumn,
    {
      name: "Reference",
      type: "string",
      cell: ({ spec }) => `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
    },
    {
      name: "Targets",
      type: "string",
      cell: ({ spec, status }) => formatMetrics(spec.metrics, status?.currentMetrics),
    },
    {
      name: "MinPods",
      type: "string",
      cell: ({ spec }) => String(spec.minReplicas ?? "<unset>"),
    },
    { name: "MaxPods", type: "string", cell: ({ spec }) => spec.maxReplicas },
    { name: "Replicas", type: "string", cell: ({ status }) => status?.currentReplicas ?? 0 },
    ageColumn,
  ],
});

function dropTolerance(
  { spec }: Decoded<HorizontalPodAutoscaler>,
  old: Decoded<HorizontalPodAutoscaler> | undefined,
  context: RequestContext,
): void {
  if (context.enabled("HPAConfigurableTolerance")) return;
  const hasTolerance = (rules: HPAScalingRules): boolean => rules.tolerance !== undefined;
  if (old && rulesOf(old).some(hasTolerance)) return;
  for (const rules of rulesOf({ spec })) delete rules.tolerance;
}

const rulesOf = ({ spec }: Pick<HorizontalPodAutoscaler, "spec">): HPAScalingRules[] =>
  [spec.behavior?.scaleDown, spec.behavior?.scaleUp].filter((rules) => rules !== undefined);
