import type * as v1 from "#/api/autoscaling/v1.ts";
import type * as v2 from "#/api/autoscaling/v2.ts";
import { isQuantity, parseQuantity } from "#/machinery/values/quantity.ts";

/**
 * Conversion of autoscaler metrics between v1, which has them in annotations, and v2.
 *
 * Upstream: pkg/apis/autoscaling/v1/conversion.go.
 */

const given = <T extends object>(parts: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(parts).filter(([, value]) => value !== undefined),
  ) as Partial<T>;

const identifier = (name: string, selector: v2.MetricIdentifier["selector"]) => ({
  name,
  ...(selector ? { selector } : {}),
});

const isZero = (quantity: string): boolean =>
  !isQuantity(quantity) || parseQuantity(quantity).sign === 0;

/** Converts a metric spec to v1. */
export function metricToV1(metric: v2.MetricSpec): v1.MetricSpec {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type: type as v1.MetricSourceType,
    ...given({
      object: object && {
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? "0",
        ...given({
          selector: object.metric.selector,
          averageValue: object.target.averageValue,
        }),
      },
      pods: pods && {
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue ?? "0",
        ...given({ selector: pods.metric.selector }),
      },
      resource: resource && { name: resource.name, ...averageToV1(resource.target) },
      containerResource: containerResource && {
        name: containerResource.name,
        ...averageToV1(containerResource.target),
        container: containerResource.container,
      },
      external: external && {
        metricName: external.metric.name,
        ...given({
          metricSelector: external.metric.selector,
          targetValue: external.target.value,
          targetAverageValue: external.target.averageValue,
        }),
      },
    }),
  } as v1.MetricSpec;
}

const averageToV1 = ({ averageUtilization, averageValue }: v2.MetricTarget) =>
  given({
    targetAverageUtilization: averageUtilization,
    targetAverageValue: averageValue,
  });

/** Converts a metric spec to v2. */
export function metricToV2(metric: v1.MetricSpec): v2.MetricSpec {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    ...given({
      object: object && objectToV2(object),
      pods: pods && {
        metric: identifier(pods.metricName, pods.selector),
        target: { type: "AverageValue", averageValue: pods.targetAverageValue },
      },
      resource: resource && { name: resource.name, target: averageToV2(resource) },
      containerResource: containerResource && {
        name: containerResource.name,
        container: containerResource.container,
        target: averageToV2(containerResource),
      },
      external: external && {
        metric: identifier(external.metricName, external.metricSelector),
        target: {
          type: external.targetValue === undefined ? "AverageValue" : "Value",
          ...given({ value: external.targetValue, averageValue: external.targetAverageValue }),
        },
      },
    }),
  } as v2.MetricSpec;
}

function objectToV2(object: v1.ObjectMetricSource): v2.ObjectMetricSource {
  const { averageValue, targetValue = "0" } = object;
  const isAverage = averageValue !== undefined;
  const target = {
    type: isAverage ? "AverageValue" : "Value",
    ...(isAverage && isZero(targetValue) ? {} : { value: targetValue }),
    ...(isAverage ? { averageValue } : {}),
  };
  const metric = identifier(object.metricName, object.selector);
  return { describedObject: object.target, target, metric };
}

function averageToV2(source: {
  readonly targetAverageUtilization?: number;
  readonly targetAverageValue?: string;
}): v2.MetricTarget {
  const { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue } = source;
  const type = averageUtilization === undefined ? "AverageValue" : "Utilization";
  return { type, ...given({ averageValue, averageUtilization }) };
}

/** Converts a metric status to v1. */
export function metricStatusToV1(metric: v2.MetricStatus): v1.MetricStatus {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type: type as v1.MetricSourceType,
    ...given({
      object: object && {
        target: object.describedObject,
        metricName: object.metric.name,
        currentValue: object.current.value ?? "0",
        ...given({
          selector: object.metric.selector,
          averageValue: object.current.averageValue,
        }),
      },
      pods: pods && {
        metricName: pods.metric.name,
        currentAverageValue: pods.current.averageValue ?? "0",
        ...given({ selector: pods.metric.selector }),
      },
      resource: resource && { name: resource.name, ...currentToV1(resource.current) },
      containerResource: containerResource && {
        name: containerResource.name,
        ...currentToV1(containerResource.current),
        container: containerResource.container,
      },
      external: external && {
        metricName: external.metric.name,
        currentValue: external.current.value ?? "0",
        ...given({
          metricSelector: external.metric.selector,
          currentAverageValue: external.current.averageValue,
        }),
      },
    }),
  } as v1.MetricStatus;
}

const currentToV1 = ({ averageUtilization, averageValue = "0" }: v2.MetricValueStatus) => ({
  ...given({ currentAverageUtilization: averageUtilization }),
  currentAverageValue: averageValue,
});

/** Converts a metric status to v2. */
export function metricStatusToV2(metric: v1.MetricStatus): v2.MetricStatus {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    ...given({
      object: object && {
        describedObject: object.target,
        metric: identifier(object.metricName, object.selector),
        current: {
          value: object.currentValue ?? "0",
          ...given({ averageValue: object.averageValue }),
        },
      },
      pods: pods && {
        metric: identifier(pods.metricName, pods.selector),
        current: { averageValue: pods.currentAverageValue ?? "0" },
      },
      resource: resource && { name: resource.name, current: currentToV2(resource) },
      containerResource: containerResource && {
        name: containerResource.name,
        container: containerResource.container,
        current: currentToV2(containerResource),
      },
      external: external && {
        metric: identifier(external.metricName, external.metricSelector),
        current: {
          value: external.currentValue ?? "0",
          ...given({ averageValue: external.currentAverageValue }),
        },
      },
    }),
  } as v2.MetricStatus;
}

const currentToV2 = (source: {
  readonly currentAverageUtilization?: number;
  readonly currentAverageValue?: string;
}): v2.MetricValueStatus => ({
  averageValue: source.currentAverageValue ?? "0",
  ...given({ averageUtilization: source.currentAverageUtilization }),
});
