import type * as v1 from "#/api/autoscaling/v1.ts";
import type * as v2 from "#/api/autoscaling/v2.ts";
import type { Schema, StructSchema } from "#/api/base/schema.ts";
import { decodeJson } from "#/machinery/codec/json/decode-json.ts";
import { jsonText } from "#/machinery/codec/json/encode-json.ts";
import { parseJson } from "#/machinery/codec/json/json-document.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { findDefinition } from "#/machinery/schema/definitions.ts";
import { goJson } from "#/machinery/values/go-format.ts";
import type { ApiObject, Decoded } from "../../registry/strategy.ts";
import { internalForm } from "../rules/internal-form.ts";
import { metricStatusToV1, metricStatusToV2, metricToV1, metricToV2 } from "./convert-metrics.ts";
import { defaultCPUUtilization } from "./defaults.ts";
import {
  behaviorAnnotation,
  conditionsAnnotation,
  currentMetricsAnnotation,
  dropRoundTripAnnotations,
  metricsAnnotation,
} from "./round-trip-annotations.ts";

/**
 * Conversion of autoscalers between v1, which has a CPU target and annotations for the rest, and v2, which is stored.
 *
 * Upstream: pkg/apis/autoscaling/v1/conversion.go.
 */
type AutoscalerV1 = Decoded<v1.HorizontalPodAutoscaler>;
type AutoscalerV2 = Decoded<v2.HorizontalPodAutoscaler>;

/** Converts v1 to the stored version, as a new object; annotations that cannot be parsed are dropped. */
export function autoscalerToV2(object: ApiObject): ApiObject {
  const { spec, status, metadata, ...rest } = object as AutoscalerV1;
  const { scaleTargetRef, minReplicas, maxReplicas } = spec;
  const { annotations = {} } = metadata;
  const metrics = [
    ...(readList<v1.MetricSpec>(annotations[metricsAnnotation], "MetricSpec") ?? []).map(
      metricToV2,
    ),
    ...(spec.targetCPUUtilizationPercentage === undefined
      ? []
      : [cpuMetric(spec.targetCPUUtilizationPercentage)]),
  ];
  const behavior = readBehavior(annotations[behaviorAnnotation]);
  const converted: AutoscalerV2 = {
    ...rest,
    metadata: metadata.annotations
      ? { ...metadata, annotations: { ...annotations } }
      : { ...metadata },
    spec: {
      scaleTargetRef,
      ...(minReplicas === undefined ? {} : { minReplicas }),
      maxReplicas,
      metrics: metrics.length > 0 ? metrics : [cpuMetric(defaultCPUUtilization)],
      ...(behavior ? { behavior } : {}),
    },
    ...(status ? { status: statusToV2(status, annotations) } : {}),
  };
  dropRoundTripAnnotations(converted.metadata);
  return converted;
}

const cpuMetric = (averageUtilization: number): v2.MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

function statusToV2(
  status: v1.HorizontalPodAutoscalerStatus,
  annotations: Readonly<Record<string, string>>,
): v2.HorizontalPodAutoscalerStatus {
  const { currentCPUUtilizationPercentage: cpu, ...rest } = status;
  const listed = readList<v1.MetricStatus>(annotations[currentMetricsAnnotation], "MetricStatus");
  const conditions = readList<v2.HorizontalPodAutoscalerCondition>(
    annotations[conditionsAnnotation],
    "HorizontalPodAutoscalerCondition",
  );
  const current: v2.MetricStatus[] | undefined =
    listed?.map(metricStatusToV2) ??
    (cpu === undefined
      ? undefined
      : [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: cpu } } }]);
  return {
    ...rest,
    ...(current ? { currentMetrics: current } : {}),
    ...(conditions ? { conditions } : {}),
  };
}

/** Converts the stored version to v1. The argument must not be shared: its annotations are changed. */
export function autoscalerToV1(object: ApiObject): ApiObject {
  const { spec, status, ...rest } = object as AutoscalerV2;
  const { scaleTargetRef, minReplicas, maxReplicas, metrics = [], behavior } = spec;
  const cpu = metrics.find(isCPUUtilization)?.resource?.target.averageUtilization;
  const converted: AutoscalerV1 = {
    ...rest,
    spec: {
      scaleTargetRef,
      ...(minReplicas === undefined ? {} : { minReplicas }),
      maxReplicas,
      ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }),
    },
    ...(status ? { status: statusToV1(status) } : {}),
  };
  const others = metrics.filter((metric) => !isCPUUtilization(metric)).map(metricToV1);
  annotate(converted, metricsAnnotation, writeList(others, "MetricSpec"));
  const current = (status?.currentMetrics ?? []).map(metricStatusToV1);
  annotate(converted, currentMetricsAnnotation, writeList(current, "MetricStatus"));
  const shown = behavior && goJson(internalForm(behavior, behaviorSchema()));
  annotate(converted, behaviorAnnotation, shown);
  const conditions = writeList(status?.conditions ?? [], "HorizontalPodAutoscalerCondition");
  annotate(converted, conditionsAnnotation, conditions);
  return converted;
}

const isCPUUtilization = ({ type, resource }: v2.MetricSpec): boolean =>
  type === "Resource" &&
  resource?.name === "cpu" &&
  resource.target.averageUtilization !== undefined;

function statusToV1(status: v2.HorizontalPodAutoscalerStatus): v1.HorizontalPodAutoscalerStatus {
  const { currentMetrics = [], conditions, currentReplicas = 0, ...rest } = status;
  const cpu = currentMetrics.findLast(
    ({ type, resource }) =>
      type === "Resource" &&
      resource?.name === "cpu" &&
      resource.current.averageUtilization !== undefined,
  )?.resource?.current.averageUtilization;
  return {
    ...rest,
    currentReplicas,
    ...(cpu === undefined ? {} : { currentCPUUtilizationPercentage: cpu }),
  };
}

function annotate({ metadata }: ApiObject, key: string, value: string | undefined): void {
  if (value === undefined) return;
  metadata.annotations ??= {};
  metadata.annotations[key] = value;
}

function writeList(items: readonly object[], type: string): string | undefined {
  if (items.length === 0) return undefined;
  const schema = definition("autoscaling/v1", type);
  return `[${items.map((item) => jsonText(item, schema)).join(",")}]`;
}

function readList<T>(text: string | undefined, type: string): T[] | undefined {
  const list = readJson(text);
  if (!Array.isArray(list)) return undefined;
  const schema = definition("autoscaling/v1", type);
  return attempt(() => list.map((item) => decodeAs<T>(item, schema)));
}

/** The annotation is written with Go's field names and parsed without regard to case. */
function readBehavior(text: string | undefined): v2.HorizontalPodAutoscalerBehavior | undefined {
  const value = readJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const behavior = attempt(() =>
    decodeAs<v2.HorizontalPodAutoscalerBehavior>(inJsonCase(value), behaviorSchema()),
  );
  return behavior && Object.keys(behavior).length > 0 ? behavior : undefined;
}

const behaviorFields = new Map(
  [
    "scaleUp",
    "scaleDown",
    "stabilizationWindowSeconds",
    "selectPolicy",
    "policies",
    "tolerance",
    "type",
    "value",
    "periodSeconds",
  ].map((name) => [name.toLowerCase(), name]),
);

function inJsonCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inJsonCase);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, part]) => [
    behaviorFields.get(key.toLowerCase()) ?? key,
    inJsonCase(part),
  ]);
  return Object.fromEntries(entries);
}

function readJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const decodeAs = <T>(value: unknown, schema: StructSchema): T =>
  decodeJson<T>(parseJson(Buffer.from(JSON.stringify(value))), schema, false).value;

function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

const behaviorSchema = (): StructSchema =>
  definition("autoscaling/v2", "HorizontalPodAutoscalerBehavior");

function definition(file: string, name: string): StructSchema {
  const schema: Schema | undefined = findDefinition(file, name);
  if (schema?.type !== "struct") throw new Error(`${file} has no type ${name}`);
  return schema;
}
