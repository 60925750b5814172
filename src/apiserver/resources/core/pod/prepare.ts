import type { Pod, PodAffinityTerm, PodSpec, TopologySpreadConstraint } from "#/api/core/v1.ts";
import type { LabelSelector } from "#/api/meta/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { computeQOSClass } from "#/machinery/pods/qos.ts";
import type { Decoded, RequestContext } from "../../../registry/strategy.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { allContainers } from "../pod-spec/base/visit-containers.ts";
import { dropDisabledPodFields } from "../pod-spec/drop-disabled-fields.ts";
import { appArmorPrefix, appArmorProfileOf } from "../pod-spec/pod-annotations.ts";
import { oldAppArmor } from "../pod-spec/pod-warnings.ts";
import { podAffinityTerms } from "../pod-spec/validate-affinity.ts";
import { validateAppArmorProfile } from "../pod-spec/validate-security.ts";
import { dropDisabledStatusFields } from "./drop-disabled-status.ts";
import { setPodCondition } from "./pod-condition.ts";
import { setPodLevelDefaults } from "./pod-level-resources.ts";

/** Upstream: pkg/registry/core/pod/strategy.go. */

/** Prepares a new Pod: status, generation and values that the server sets. */
export function prepareForCreate(pod: Decoded<Pod>, context: RequestContext): void {
  const { metadata, spec } = pod;
  metadata.generation = 1;
  pod.status = { phase: "Pending" };
  if (context.enabled("H2CContainerProbe")) setHttpProtocols(spec);
  dropDisabledPodFields(pod, undefined, context);
  if (spec.schedulingGates?.length) {
    const message = "Scheduling is blocked due to non-empty scheduling gates";
    const condition = { type: "PodScheduled", status: "False", reason: "SchedulingGated", message };
    setPodCondition(pod.status, condition, context.now);
  }
  for (const term of podAffinityTerms(spec)) mergeLabelKeys(term, metadata.labels);
  if (
    context.enabled("MatchLabelKeysInPodTopologySpread") &&
    context.enabled("MatchLabelKeysInPodTopologySpreadSelectorMerge")
  ) {
    for (const one of spec.topologySpreadConstraints ?? []) mergeLabelKeys(one, metadata.labels);
  }
  takeAppArmorAnnotations(pod, context);
  setPodLevelDefaults(spec, context);
  pod.status.qosClass = computeQOSClass(pod);
}

/** HTTP probes use HTTP/1 by default; only Pods get this default, not templates. */
function setHttpProtocols(spec: PodSpec): void {
  for (const { livenessProbe, readinessProbe, startupProbe, lifecycle } of allContainers(spec)) {
    const handlers = [
      livenessProbe,
      readinessProbe,
      startupProbe,
      lifecycle?.postStart,
      lifecycle?.preStop,
    ];
    for (const handler of handlers) {
      if (handler?.httpGet) handler.httpGet.protocol ??= "HTTP1";
    }
  }
}

/** Merges the Pod's own values of the label keys into a selector. */
function mergeLabelKeys(
  given: PodAffinityTerm | TopologySpreadConstraint,
  labels: Readonly<Record<string, string>> = {},
): void {
  const { labelSelector, matchLabelKeys = [] } = given;
  if (labelSelector === undefined) return;
  selectLabels(labelSelector, "In", matchLabelKeys, labels);
  const { mismatchLabelKeys = [] } = given as PodAffinityTerm;
  selectLabels(labelSelector, "NotIn", mismatchLabelKeys, labels);
}

function selectLabels(
  selector: LabelSelector,
  operator: string,
  keys: readonly string[],
  labels: Readonly<Record<string, string>>,
): void {
  for (const key of keys) {
    const value = labels[key];
    if (value === undefined) continue;
    selector.matchExpressions = [
      ...(selector.matchExpressions ?? []),
      { key, operator, values: [value] },
    ];
  }
}

/** Copies profiles from annotations to fields, and returns the warnings. */
function takeAppArmorAnnotations({ metadata, spec }: Pod, context: RequestContext): void {
  const { annotations } = metadata;
  if (annotations === undefined || spec.os?.name === "windows") return;
  for (const container of allContainers(spec)) {
    const key = appArmorPrefix + container.name;
    const annotation = annotations[key];
    if (annotation === undefined || container.securityContext?.appArmorProfile) continue;
    const profile = validProfileOf(annotation);
    if (profile !== undefined && deepEqual(profile, spec.securityContext?.appArmorProfile)) {
      continue;
    }
    if (profile !== undefined) {
      container.securityContext = { ...container.securityContext, appArmorProfile: profile };
    }
    context.warn(oldAppArmor(fieldPath("metadata", "annotations").key(key)));
  }
}

function validProfileOf(annotation: string): ReturnType<typeof appArmorProfileOf> {
  const profile = appArmorProfileOf(annotation);
  const report = new FieldReport();
  validateAppArmorProfile(report, fieldPath("profile"), profile);
  return report.errors.length === 0 ? profile : undefined;
}

/** Keeps the fields that an update may not change, and increments the generation if the spec changes. */
export function prepareForUpdate(
  pod: Decoded<Pod>,
  old: Decoded<Pod>,
  context: RequestContext,
): void {
  keepStatus(pod, old);
  if (context.enabled("PodLevelResourcesFixDefaulting")) keepResources(pod.spec, old.spec);
  dropDisabledPodFields(pod, old, context);
  dropDisabledStatusFields(pod.status, old.status, context);
  countSpecChange(pod, old);
}

/** The status stays unchanged: it may be shared with the old object, since it is not written any more. */
export function keepStatus(pod: Pod, old: Pod): void {
  if (old.status === undefined) delete pod.status;
  else pod.status = old.status;
}

/** Keeps Pod-level resources that the client does not know. */
export function keepResources(spec: PodSpec, old: PodSpec): void {
  if (spec.resources === undefined && old.resources !== undefined) {
    spec.resources = deepCopy(old.resources);
  }
}

/** The generation is incremented by every change of the spec. */
export function countSpecChange({ metadata, spec }: Pod, old: Pod): void {
  if (!deepEqual(spec, old.spec)) metadata.generation = (metadata.generation ?? 0) + 1;
}
