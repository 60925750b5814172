/** Upstream: pkg/controller/podautoscaler/horizontal.go (computeReplicasForMetric). */

import type { MetricSpec, MetricStatus, MetricTarget } from "#/api/autoscaling/v2.ts";
import type { LabelSelector } from "#/api/meta/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { milliQuantity, parseQuantity } from "#/machinery/values/quantity.ts";
import type { MetricsClient } from "./metrics-client.ts";
import {
  byRatio,
  byShare,
  byUtilization,
  byValue,
  type CalculatorOptions,
  type Recommendation,
} from "./replica-calculator.ts";

/** The number of replicas that a metric proposes. */
export interface Proposal {
  readonly replicas: number;
  /** The metric's name in reasons. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** A metric that can't be used; the reason is that of the condition. */
export class MetricError extends Error {
  override readonly name = "MetricError";
  readonly reason: string;
  /** The message of the condition, without the outer context. */
  readonly detail: string;

  constructor(reason: string, detail: string, message: string) {
    super(message);
    this.reason = reason;
    this.detail = detail;
  }
}

interface ProposalOptions extends CalculatorOptions {
  readonly namespace: string;
  /** The selector of the target's Pods. */
  readonly selector: string;
  readonly statusReplicas: number;
  readonly metrics: MetricsClient;
}

/** Reads a metric and computes the proposed replicas. Throws MetricError. */
export async function proposeReplicas(
  spec: MetricSpec,
  options: ProposalOptions,
): Promise<Proposal> {
  const { type, resource, containerResource, pods, object, external } = spec;
  if (type === "Resource" && resource) {
    const what = `failed to get ${resource.name} resource metric value`;
    return await failingAs("FailedGetResourceMetric", what, () => ofResource(resource, options));
  }
  if (type === "ContainerResource" && containerResource) {
    const what = `failed to get ${containerResource.container} container metric value`;
    const work = () => ofResource(containerResource, options);
    return await failingAs("FailedGetContainerResourceMetric", what, work);
  }
  if (type === "Pods" && pods) {
    const what = "failed to get pods metric value";
    return await failingAs("FailedGetPodsMetric", what, () => ofPods(pods, options));
  }
  if (type === "Object" && object) {
    const what = "failed to get object metric value";
    return await failingAs("FailedGetObjectMetric", what, () => ofObject(object, options));
  }
  if (type === "External" && external) {
    const what = `failed to get ${external.metric.name} external metric value`;
    return await failingAs("FailedGetExternalMetric", what, () => ofExternal(external, options));
  }
  const message = `unknown metric source type "${type}"`;
  throw new MetricError("InvalidMetricSourceType", message, message);
}

async function failingAs(
  reason: string,
  what: string,
  work: () => Promise<Proposal>,
): Promise<Proposal> {
  try {
    return await work();
  } catch (error) {
    const { message } = error as Error;
    throw new MetricError(reason, message, `${what}: ${message}`);
  }
}

/** Adds context to errors. */
async function within<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
  }
}

type ResourceSource = NonNullable<MetricSpec["resource"]> & { readonly container?: string };

async function ofResource(source: ResourceSource, options: ProposalOptions): Promise<Proposal> {
  const { name, target, container = "" } = source;
  const { namespace, selector, metrics } = options;
  const isRaw = target.averageValue !== undefined;
  if (!isRaw && target.averageUtilization === undefined) {
    throw new Error(
      "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
    );
  }
  const found = await within(
    `failed to get ${name} ${isRaw ? "usage" : "utilization"}`,
    async () => {
      const measured = await within(`unable to get metrics for resource ${name}`, () =>
        metrics.resource(name, namespace, selector, container),
      );
      if (target.averageValue !== undefined) {
        return byValue(measured, milli(target.averageValue), name, options);
      }
      return byUtilization(measured, target.averageUtilization ?? 0, name, container, options);
    },
  );
  const kind = container === "" ? "resource" : "container resource";
  const label = isRaw ? `${name} resource` : `${name} ${kind} utilization (percentage of request)`;
  return { replicas: found.replicas, name: label, status: resourceStatus(source, found) };
}

function resourceStatus(source: ResourceSource, found: Recommendation): MetricStatus {
  const { name, container } = source;
  const format = name === "memory" ? "BinarySI" : "DecimalSI";
  const current = {
    averageValue: milliQuantity(Math.trunc(found.average), format).toString(),
    ...(found.utilization === undefined ? {} : { averageUtilization: found.utilization }),
  };
  return container === undefined
    ? { type: "Resource", resource: { name, current } }
    : { type: "ContainerResource", containerResource: { name, container, current } };
}

async function ofPods(
  { metric, target }: NonNullable<MetricSpec["pods"]>,
  options: ProposalOptions,
): Promise<Proposal> {
  const { namespace, selector, metrics } = options;
  const measured = await within(`unable to get metric ${metric.name}`, () =>
    metrics.pods(metric.name, namespace, selector, selectorText(metric.selector)),
  );
  const found = byValue(measured, milli(target.averageValue), "", options);
  const current = { averageValue: milliText(found.average) };
  return {
    replicas: found.replicas,
    name: `pods metric ${metric.name}`,
    status: { type: "Pods", pods: { metric, current } },
  };
}

async function ofObject(
  { metric, target, describedObject }: NonNullable<MetricSpec["object"]>,
  options: ProposalOptions,
): Promise<Proposal> {
  const { namespace, metrics } = options;
  const isValue = target.type === "Value" && target.value !== undefined;
  if (!isValue && !(target.type === "AverageValue" && target.averageValue !== undefined)) {
    throw new Error(
      "invalid object metric source: neither a value target nor an average value target was set",
    );
  }
  const where = `unable to get metric ${metric.name} on ${describedObject.kind} ${namespace}/${describedObject.name}`;
  const usage = await within(where, () =>
    metrics.object(metric.name, namespace, describedObject, selectorText(metric.selector)),
  );
  const name = isValue
    ? `${describedObject.kind} metric ${metric.name}`
    : `external metric ${metric.name}(${goSelector(metric.selector)})`;
  const { replicas, current } = shareOf(usage, target, isValue, options);
  return {
    replicas,
    name,
    status: { type: "Object", object: { metric, describedObject, current } },
  };
}

async function ofExternal(
  { metric, target }: NonNullable<MetricSpec["external"]>,
  options: ProposalOptions,
): Promise<Proposal> {
  const { namespace, metrics } = options;
  const isValue = target.averageValue === undefined;
  if (isValue && target.value === undefined) {
    throw new Error(
      "invalid external metric source: neither a value target nor an average value target was set",
    );
  }
  const shown = goSelector(metric.selector);
  const failed = isValue
    ? `failed to get external metric ${metric.name}`
    : `failed to get ${metric.name} external metric`;
  const usage = await within(failed, () =>
    within(`unable to get external metric ${namespace}/${metric.name}/${shown}`, () =>
      metrics.external(metric.name, namespace, selectorText(metric.selector)),
    ),
  );
  const { replicas, current } = shareOf(usage, target, isValue, options);
  const name = `external metric ${metric.name}(${shown})`;
  return { replicas, name, status: { type: "External", external: { metric, current } } };
}

/** The replicas for a total value: compared directly, or averaged over all replicas. */
function shareOf(
  usage: number,
  target: MetricTarget,
  isValue: boolean,
  options: ProposalOptions,
): { replicas: number; current: { value?: string; averageValue?: string } } {
  if (isValue) {
    const replicas = byRatio(usage / milli(target.value), options);
    return { replicas, current: { value: milliText(usage) } };
  }
  const { statusReplicas, tolerances } = options;
  const replicas = byShare(usage, milli(target.averageValue), statusReplicas, tolerances);
  const average = statusReplicas === 0 ? 0 : Math.ceil(usage / statusReplicas);
  return { replicas, current: { averageValue: milliText(average) } };
}

const milli = (text: string | undefined): number => parseQuantity(text ?? "0").milliValue();
const milliText = (value: number): string => milliQuantity(Math.trunc(value)).toString();

const selectorText = (selector: LabelSelector | undefined): string =>
  selector ? compileLabelSelector(selector).toString() : "";

/** A selector as Go prints a pointer to it. */
function goSelector(selector: LabelSelector | undefined): string {
  if (!selector) return "nil";
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = labels.map(([key, value]) => `${key}: ${value},`).join("");
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${text}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
