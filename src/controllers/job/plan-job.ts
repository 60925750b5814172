/** Upstream: pkg/controller/job/job_controller.go (manageJob). */
import type { Job } from "#/api/batch/v1.ts";
import { jobs } from "#/api/batch/v1.ts";
import type { Container, Pod } from "#/api/core/v1.ts";
import { controllerReference } from "#/machinery/meta/owner-references.ts";
import { podFromTemplate } from "../pods/create-pod.ts";
import { podsToDelete } from "../pods/deletion-order.ts";
import { isTerminating } from "../pods/pod-state.ts";
import { type BackoffRecord, finishedMs, remainingMs } from "./backoff.ts";
import {
  failureCountKey,
  failureCounts,
  ignoredCountKey,
  indexKey,
  indexOf,
  isIndexed,
} from "./indexes.ts";
import {
  indexesOf,
  isSuspended,
  type JobView,
  replacesFailedOnly,
  trackingFinalizer,
} from "./job-view.ts";
import { judgeFailure } from "./policies.ts";

/** Pods to create or to delete, or a time to wait. */
interface JobPlan {
  readonly create: readonly Pod[];
  readonly remove: readonly Pod[];
  readonly afterMs?: number;
}

const burst = 500;
const nothing: JobPlan = { create: [], remove: [] };

/** Pods for the remaining work, within the parallelism. */
export function planJob(view: JobView, record: BackoffRecord, nowMs: number): JobPlan {
  const { job, active, terminatingCount } = view;
  if (isSuspended(job)) return { create: [], remove: active };
  const desired = desiredCount(view);
  const remove = surplus(view, Math.max(0, active.length - desired), nowMs).slice(0, burst);
  if (remove.length > 0) return { create: [], remove };
  const terminating = replacesFailedOnly(job) ? terminatingCount : 0;
  const missing = Math.min(burst, desired - terminating - active.length);
  if (missing <= 0) return nothing;
  const isPerIndex = job.spec.backoffLimitPerIndex !== undefined;
  const waitMs = isPerIndex ? 0 : remainingMs(record, nowMs);
  if (waitMs > 0) return { ...nothing, afterMs: waitMs };
  if (!isIndexed(job)) {
    return { create: Array.from({ length: missing }, () => podFor(view)), remove: [] };
  }
  return planIndexes(view, pendingIndexes(view, missing), nowMs);
}

function desiredCount({ job, active, succeededCount }: JobView): number {
  const { completions, parallelism = 1 } = job.spec;
  if (completions === undefined) return succeededCount > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeededCount));
}

/** A failed index has its own back-off. */
function planIndexes(view: JobView, indexes: readonly number[], nowMs: number): JobPlan {
  const waits = indexes.map((index) => {
    const last = view.lastFailed.get(index);
    if (!last) return 0;
    const { counted, ignored } = failureCounts(last);
    const record = { failures: counted + ignored + 1, lastFailureMs: finishedMs(last) };
    return remainingMs(record, nowMs);
  });
  const ready = indexes.filter((_, at) => waits[at] === 0);
  if (ready.length > 0) return { create: ready.map((index) => podFor(view, index)), remove: [] };
  return waits.length > 0 ? { ...nothing, afterMs: Math.min(...waits) } : nothing;
}

/** The lowest indexes that are neither active nor complete. */
function pendingIndexes(view: JobView, count: number): number[] {
  const { job, active, pods, succeededIndexes, failedIndexes } = view;
  const terminating = replacesFailedOnly(job) ? pods.filter(isTerminating) : [];
  const taken = new Set([
    ...succeededIndexes,
    ...(failedIndexes ?? []),
    ...indexesOf([...active, ...terminating], job),
  ]);
  const pending: number[] = [];
  for (let index = 0; index < (job.spec.completions ?? 0) && pending.length < count; index++) {
    if (!taken.has(index)) pending.push(index);
  }
  return pending;
}

/** Duplicate and unneeded Pods, and others until this number is reached. */
function surplus({ job, active }: JobView, count: number, nowMs: number): Pod[] {
  if (!isIndexed(job)) return podsToDelete(active, [], count, nowMs);
  const byIndex = Map.groupBy(active, (pod) => indexOf(pod, job.spec.completions ?? 0));
  const remove = [...(byIndex.get(undefined) ?? [])];
  const left: Pod[] = [];
  for (const [index, group] of byIndex) {
    if (index === undefined) continue;
    const doubles = podsToDelete(group, [], group.length - 1, nowMs);
    remove.push(...doubles);
    left.push(...group.filter((pod) => !doubles.includes(pod)));
  }
  const more = Math.max(0, count - remove.length);
  return [...remove, ...podsToDelete(left, [], more, nowMs)];
}

/** Limit of the name prefix, which leaves room for the server's suffix. */
const maxPrefix = 253 - 5;

/** A Pod of a Job, for an index or none. */
function podFor({ job, lastFailed }: JobView, index?: number): Pod {
  const pod = podFromTemplate(job.spec.template, job, controllerReference(job, jobs));
  const { finalizers = [] } = pod.metadata;
  if (!finalizers.includes(trackingFinalizer)) {
    pod.metadata.finalizers = [...finalizers, trackingFinalizer];
  }
  if (index === undefined) return pod;
  const suffix = `-${index}-`;
  const name = job.metadata.name ?? "";
  pod.metadata.generateName = name.slice(0, maxPrefix - suffix.length) + suffix;
  pod.metadata.labels = { ...pod.metadata.labels, [indexKey]: `${index}` };
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [indexKey]: `${index}`,
    ...failureAnnotations(job, lastFailed.get(index)),
  };
  pod.spec = {
    ...pod.spec,
    containers: (pod.spec?.containers ?? []).map(withIndexVariable),
    ...(pod.spec?.initContainers
      ? { initContainers: pod.spec.initContainers.map(withIndexVariable) }
      : {}),
    hostname: `${name}-${index}`,
  };
  return pod;
}

function failureAnnotations(job: Job, replaced: Pod | undefined): Record<string, string> {
  if (job.spec.backoffLimitPerIndex === undefined) return {};
  if (!replaced) return { [failureCountKey]: "0" };
  const { counted, ignored } = failureCounts(replaced);
  const { counts } = judgeFailure(job, replaced);
  const ignoredNow = ignored + (counts ? 0 : 1);
  return {
    [failureCountKey]: `${counted + (counts ? 1 : 0)}`,
    ...(ignoredNow > 0 ? { [ignoredCountKey]: `${ignoredNow}` } : {}),
  };
}

const indexVariable = "JOB_COMPLETION_INDEX";

function withIndexVariable(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${indexKey}']` };
  return { ...container, env: [...env, { name: indexVariable, valueFrom: { fieldRef } }] };
}
