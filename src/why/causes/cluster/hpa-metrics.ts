import { type Deployment, deployments, type StatefulSet, statefulSets } from "#/api/apps/v1.ts";
import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from "#/api/autoscaling/v2.ts";
import { limitRanges } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import type { View } from "../../base/view.ts";
import { conditionLine } from "../../facts/conditions.ts";

export const hpaMetrics = cause<HorizontalPodAutoscaler>({
  name: "hpa-metrics",
  layer: "controllers",
  of: [horizontalPodAutoscalers],
  find({ spec, status, metadata }, view) {
    const condition = findCondition(status?.conditions, "ScalingActive");
    if (condition?.status !== "False") return undefined;
    const { reason = "", message = "" } = condition;
    const at = metadata.namespace;
    const none = view.serves("metrics.k8s.io/v1beta1") === false;
    const types = (spec?.metrics ?? []).map(({ type }) => type);
    const ofResource = types.some((type) => type === "Resource" || type === "ContainerResource");
    const adapter = missingAdapter(types, message, view);
    const missing = /missing request for (\w+)/.exec(message)?.[1] ?? unrequested(spec, at, view);
    const target = `${spec?.scaleTargetRef.kind.toLowerCase()}/${spec?.scaleTargetRef.name}`;
    const why = missing
      ? `the containers of ${target} have no request for ${missing}, of which its target is a share`
      : none && ofResource
        ? "the cluster serves no metrics (no metrics server: metrics.k8s.io is missing)"
        : adapter !== undefined
          ? `the cluster serves no ${adapter} metrics (${adapter}.metrics.k8s.io is missing: no adapter, such as prometheus-adapter, is installed or ready)`
          : reason === "ScalingDisabled"
            ? `${target} is scaled to 0, which switches it off`
            : `${oneLine(message, 200)} (${reason})`;
    return {
      sentence: `it cannot compute a size: ${why}`,
      since: condition.lastTransitionTime,
      evidence: [conditionLine(condition, view.nowMs)],
      fix: missing
        ? [`kubectl set resources ${target} --requests=${missing}=100m`]
        : none
          ? ["# install a metrics server"]
          : [`kubectl why ${target}`],
    };
  },
});

/** A resource of whose request a target is a share, which no container of the template requests. */
function unrequested(
  spec: HorizontalPodAutoscaler["spec"],
  namespace: string | undefined,
  view: View,
): string | undefined {
  const { kind, name = "" } = spec?.scaleTargetRef ?? {};
  const resource = [deployments, statefulSets].find((one) => one.kind === kind);
  const shares = (spec?.metrics ?? []).flatMap(({ resource: metric }) =>
    metric?.target.averageUtilization === undefined ? [] : [metric.name],
  );
  if (!resource || shares.length === 0) return undefined;
  const target = view.get<Deployment | StatefulSet>(resource, { namespace, name });
  const containers = target?.spec?.template.spec?.containers ?? [];
  // A LimitRange may set them in each Pod.
  const ranges = view.list(limitRanges, { namespace }) ?? [];
  if (ranges.length > 0 || containers.length === 0) return undefined;
  return shares.find((share) =>
    containers.every(
      ({ resources: { requests, limits } = {} }) =>
        (requests?.[share] ?? limits?.[share]) === undefined,
    ),
  );
}

/** The API of metrics that the autoscaler needs and the cluster does not serve. */
function missingAdapter(
  types: readonly string[],
  message: string,
  view: View,
): "custom" | "external" | undefined {
  const isOf = (name: string): boolean => message.includes(`${name} metric`);
  if (types.includes("External") && isOf("external"))
    return view.serves("external.metrics.k8s.io/v1beta1") ? undefined : "external";
  if (!types.some((type) => type === "Pods" || type === "Object") || !isOf("custom"))
    return undefined;
  const isServed = ["v1beta2", "v1beta1"].some((one) =>
    view.serves(`custom.metrics.k8s.io/${one}`),
  );
  return isServed ? undefined : "custom";
}
