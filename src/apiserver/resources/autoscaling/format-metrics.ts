import type {
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "#/api/autoscaling/v2.ts";

/** Metrics as tables show them: current value and target. Upstream: pkg/printers/internalversion/printers.go. */

const unknown = "<unknown>";
const shown = 2;

/** The first metrics, and the number of the others. */
export function formatMetrics(
  metrics: readonly MetricSpec[] = [],
  statuses: readonly MetricStatus[] = [],
): string {
  if (metrics.length === 0) return "<none>";
  const texts = metrics.map((metric, index) => formatMetric(metric, statuses[index]));
  const first = texts.slice(0, shown).join(", ");
  return texts.length > shown ? `${first} + ${texts.length - shown} more...` : first;
}

function formatMetric(metric: MetricSpec, status: MetricStatus | undefined): string {
  switch (metric.type) {
    case "External":
      return formatValue(metric.external?.target, status?.external?.current);
    case "Pods":
      return `${status?.pods ? amount(status.pods.current.averageValue) : unknown}/${amount(metric.pods?.target.averageValue)}`;
    case "Object":
      return formatValue(metric.object?.target, status?.object?.current);
    case "Resource":
      return `${metric.resource?.name}: ${formatUse(metric.resource?.target, status?.resource?.current)}`;
    case "ContainerResource": {
      const { name, target } = metric.containerResource ?? {};
      return `${name}: ${formatUse(target, status?.containerResource?.current)}`;
    }
    default:
      return "<unknown type>";
  }
}

function formatValue(target?: MetricTarget, current?: MetricValueStatus): string {
  if (target?.averageValue === undefined) {
    return `${current ? amount(current.value) : unknown}/${amount(target?.value)}`;
  }
  return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
}

function formatUse(target?: MetricTarget, current?: MetricValueStatus): string {
  if (target?.averageValue !== undefined) {
    return `${current ? amount(current.averageValue) : unknown}/${target.averageValue}`;
  }
  const percent = (value: number | undefined, otherwise: string): string =>
    value === undefined ? otherwise : `${value}%`;
  const now = percent(current?.averageUtilization, unknown);
  return `${now}/${percent(target?.averageUtilization, "<auto>")}`;
}

/** A missing quantity is shown as Go shows a nil pointer. */
const amount = (quantity: string | undefined): string => quantity ?? "<nil>";
