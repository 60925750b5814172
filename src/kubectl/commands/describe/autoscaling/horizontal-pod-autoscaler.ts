/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from "#/api/autoscaling/v1.ts";
import {
  type HorizontalPodAutoscaler,
  type HPAScalingRules,
  horizontalPodAutoscalers,
  type MetricSpec,
  type MetricStatus,
  type MetricTarget,
  type MetricValueStatus,
} from "#/api/autoscaling/v2.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Describer, Describing, KindDescriber } from "../parts/describer.ts";
import { type Description, longTime } from "../parts/description.ts";

const unknown = "<unknown>";

/** Described in version 2 if the server has it, whichever was requested. */
const describeAutoscaler: Describer = async (to, describing) => {
  const { object } = describing;
  const newest = await inVersion2(describing);
  to.head(object.metadata);
  to.field(0, "CreationTimestamp", longTime(object.metadata?.creationTimestamp));
  if (newest) describeVersion2(to, newest);
  else describeVersion1(to, object as unknown as HorizontalPodAutoscalerV1);
};

async function inVersion2({
  object,
  context,
}: Describing): Promise<HorizontalPodAutoscaler | undefined> {
  if (object.apiVersion === "autoscaling/v2") return object as unknown as HorizontalPodAutoscaler;
  const { name = "", namespace = "" } = object.metadata ?? {};
  const client = await context.cluster.client();
  return client.get(horizontalPodAutoscalers, { name, namespace }).catch(() => undefined);
}

function describeVersion2(to: Description, { spec, status }: HorizontalPodAutoscaler): void {
  const target = spec?.scaleTargetRef;
  to.field(0, "Reference", `${target?.kind ?? ""}/${target?.name ?? ""}`);
  to.field(0, "Metrics", "( current / target )");
  for (const [i, metric] of (spec?.metrics ?? []).entries()) {
    to.write(1, metricText(metric, status?.currentMetrics?.[i]));
  }
  describeSizes(to, spec);
  if (spec?.behavior) {
    to.write(0, "Behavior:\n");
    describeRules(to, "Scale Up", spec.behavior.scaleUp);
    describeRules(to, "Scale Down", spec.behavior.scaleDown);
  }
  describeReplicas(to, target?.kind ?? "", status);
  if (!status?.conditions?.length) return;
  to.write(0, "Conditions:\n");
  to.write(1, "Type\tStatus\tReason\tMessage\n");
  to.write(1, "----\t------\t------\t-------\n");
  for (const { type, status: value, reason = "", message = "" } of status.conditions) {
    to.write(1, `${type}\t${value}\t${reason}\t${message}\n`);
  }
}

function metricText(metric: MetricSpec, current: MetricStatus | undefined): string {
  switch (metric.type) {
    case "External": {
      const name = goQuote(metric.external?.metric.name ?? "");
      const now = current?.external?.current;
      const target = metric.external?.target;
      return target?.averageValue === undefined
        ? `${name} (target value):\t${shown(now, "value")} / ${target?.value ?? "<nil>"}\n`
        : `${name} (target average value):\t${now?.averageValue ?? unknown} / ${target.averageValue}\n`;
    }
    case "Pods": {
      const { metric: named, target } = metric.pods ?? {};
      const now = shown(current?.pods?.current, "averageValue");
      return `${goQuote(named?.name ?? "")} on pods:\t${now} / ${target?.averageValue ?? "<nil>"}\n`;
    }
    case "Object":
      return objectText(metric, current);
    case "Resource": {
      const { name = "", target } = metric.resource ?? {};
      return `resource ${name} on pods${resourceText(target, current?.resource?.current)}`;
    }
    case "ContainerResource": {
      const { name = "", container = "", target } = metric.containerResource ?? {};
      const now = current?.containerResource?.current;
      return `resource ${name} of container "${container}" on pods${resourceText(target, now)}`;
    }
    default:
      return `<unknown metric type ${goQuote(String(metric.type))}>\n`;
  }
}

/** The current metrics; a missing value is printed as Go's nil. */
function shown(
  current: MetricValueStatus | undefined,
  field: "value" | "averageValue",
): string | number {
  return current ? (current[field] ?? "<nil>") : unknown;
}

function objectText({ object }: MetricSpec, current: MetricStatus | undefined): string {
  const { metric, describedObject, target } = object ?? {};
  const head = `"${metric?.name ?? ""}" on ${describedObject?.kind ?? ""}/${describedObject?.name ?? ""} `;
  const now = current?.object?.current;
  return target?.type === "AverageValue"
    ? `${head}(target average value):\t${shown(now, "averageValue")} / ${target.averageValue ?? "<nil>"}\n`
    : `${head}(target value):\t${shown(now, "value")} / ${target?.value ?? "<nil>"}\n`;
}

function resourceText(
  target: MetricTarget | undefined,
  current: MetricValueStatus | undefined,
): string {
  if (target?.averageValue !== undefined) {
    return `:\t${shown(current, "averageValue")} / ${target.averageValue}\n`;
  }
  const used = current?.averageUtilization;
  const now = used === undefined ? unknown : `${used}% (${current?.averageValue ?? "<nil>"})`;
  const wanted = target?.averageUtilization;
  return `  (as a percentage of request):\t${now} / ${wanted === undefined ? "<auto>" : `${wanted}%`}\n`;
}

function describeRules(
  to: Description,
  direction: string,
  rules: HPAScalingRules | undefined,
): void {
  if (!rules) return;
  const { stabilizationWindowSeconds: seconds, policies = [], selectPolicy = "Max" } = rules;
  to.write(1, `${direction}:\n`);
  if (seconds !== undefined) to.write(2, `Stabilization Window: ${seconds} seconds\n`);
  if (policies.length === 0) return;
  to.write(2, `Select Policy: ${selectPolicy}\n`);
  to.write(2, "Policies:\n");
  for (const { type, value, periodSeconds } of policies) {
    to.write(3, `- Type: ${type}\tValue: ${value}\tPeriod: ${periodSeconds} seconds\n`);
  }
}

function describeVersion1(to: Description, { spec, status }: HorizontalPodAutoscalerV1): void {
  const target = spec?.scaleTargetRef;
  to.field(0, "Reference", `${target?.kind ?? ""}/${target?.name ?? ""}`);
  if (spec?.targetCPUUtilizationPercentage !== undefined) {
    to.field(0, "Target CPU utilization", `${spec.targetCPUUtilizationPercentage}%`);
    const current = status?.currentCPUUtilizationPercentage ?? unknown;
    to.field(0, "Current CPU utilization", `${current}%`);
  }
  describeSizes(to, spec);
  describeReplicas(to, target?.kind ?? "", status);
}

interface Sizes {
  readonly minReplicas?: number;
  readonly maxReplicas: number;
}

function describeSizes(to: Description, sizes: Sizes | undefined): void {
  to.field(0, "Min replicas", sizes?.minReplicas ?? "<unset>");
  to.field(0, "Max replicas", sizes?.maxReplicas ?? 0);
}

interface Replicas {
  readonly currentReplicas?: number;
  readonly desiredReplicas: number;
}

function describeReplicas(to: Description, kind: string, status: Replicas | undefined): void {
  const { currentReplicas = 0, desiredReplicas = 0 } = status ?? {};
  to.field(0, `${kind} pods`, `${currentReplicas} current / ${desiredReplicas} desired`);
}

export const horizontalPodAutoscaler: KindDescriber = { describe: describeAutoscaler };
