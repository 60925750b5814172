/** Upstream: staging/src/k8s.io/kubectl/pkg/polymorphichelpers, staging/src/k8s.io/kubectl/pkg/util/podutils. */

import { type Pod, pods } from "#/api/core/v1.ts";
import type { LabelSelector } from "#/api/meta/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { selectorFromLabels } from "#/machinery/meta/labels.ts";
import { goSort } from "#/std/go/go-sort.ts";
import { CommandError, messageOf } from "../base/errors.ts";
import { fieldAt, kindOf, type Unstructured } from "../base/unstructured.ts";
import type { Context } from "../command/context.ts";

const selecting = [
  "apps/ReplicaSet",
  "apps/StatefulSet",
  "apps/DaemonSet",
  "apps/Deployment",
  "batch/Job",
];

/** The selector of the Pods of an object; throws the reason if there is none. */
function podSelector(object: Unstructured): string {
  const { group, version, kind } = kindOf(object);
  const selector = fieldAt(object, "spec", "selector");
  if (selecting.includes(`${group}/${kind}`)) {
    return compileLabelSelector(selector as LabelSelector | undefined).toString();
  }
  const labels = (selector ?? {}) as Record<string, string>;
  if (group === "" && kind === "ReplicationController")
    return selectorFromLabels(labels).toString();
  if (group === "" && kind === "Service") {
    if (Object.keys(labels).length > 0) return selectorFromLabels(labels).toString();
    throw new CommandError(
      `invalid service '${object.metadata?.name}': Service is defined without a selector`,
    );
  }
  throw new CommandError(`selector for ${goTypeOf(group, version, kind)} not implemented`);
}

/** The Go type of a kind, for messages. */
export function goTypeOf(group: string, version: string, kind: string): string {
  const name = group === "" ? "" : (group.split(".")[0] ?? "");
  return group === "" || !group.includes(".") || group.endsWith(".k8s.io")
    ? `*v${version.slice(1)}.${kind}`
    : `*${name}.${kind}`;
}

interface PodChoice {
  /** The operation, for messages: `cannot attach to`. */
  readonly purpose: string;
  readonly timeoutMs: number;
  readonly order: (a: Pod, b: Pod) => number;
}

/** The Pods of an object, the best first; waits for one if there is none. */
export async function podsOf(
  context: Context,
  object: Unstructured,
  { purpose, timeoutMs, order }: PodChoice,
): Promise<Pod[]> {
  const { group, version, kind } = kindOf(object);
  if (group === "" && kind === "Pod") return [object as unknown as Pod];
  let labelSelector: string;
  try {
    labelSelector = podSelector(object);
  } catch (error) {
    throw new CommandError(`${purpose} ${goTypeOf(group, version, kind)}: ${messageOf(error)}`);
  }
  const { namespace = "" } = object.metadata ?? {};
  const client = await context.cluster.client();
  const list = await client.list(pods, { namespace, labelSelector });
  if (list.items.length > 0) return goSort(list.items, (a, b) => order(a, b) < 0).map(named);
  const stop = new AbortController();
  using _timer = context.clock.setTimer(timeoutMs, () => stop.abort());
  const signal = AbortSignal.any([stop.signal, context.signal]);
  const { resourceVersion } = list.metadata;
  try {
    for await (const event of client.watch(pods, {
      namespace,
      labelSelector,
      resourceVersion,
      signal,
    })) {
      if (event.type === "ADDED" || event.type === "MODIFIED") return [event.object];
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  throw new CommandError("timed out waiting for the condition");
}

const named = (pod: Pod): Pod => ({ apiVersion: "v1", kind: "Pod", ...pod });

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") ??
  false;

const phases: Readonly<Record<string, number>> = { Running: 0, Unknown: 1, Pending: 2 };

const readySince = ({ status }: Pod): string =>
  status?.conditions?.find(({ type, status: value }) => type === "Ready" && value === "True")
    ?.lastTransitionTime ?? "";

const restarts = ({ status }: Pod): number =>
  Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount ?? 0));

const createdAt = ({ metadata }: Pod): string => metadata?.creationTimestamp ?? "";

/** Earlier times first, missing ones last. */
function byTime(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "" || b === "") return a === "" ? 1 : -1;
  return a < b ? -1 : 1;
}

/** Order for logs: running, ready, restarted, old Pods first. */
export function byLogging(a: Pod, b: Pod): number {
  const scheduled = Number(!a.spec?.nodeName) - Number(!b.spec?.nodeName);
  const phase = (phases[a.status?.phase ?? ""] ?? 0) - (phases[b.status?.phase ?? ""] ?? 0);
  const ready = Number(isReady(b)) - Number(isReady(a));
  return (
    scheduled ||
    phase ||
    ready ||
    (isReady(a) ? byTime(readySince(a), readySince(b)) : 0) ||
    restarts(b) - restarts(a) ||
    byTime(createdAt(a), createdAt(b))
  );
}

/** Order for commands: Pods that most likely keep running first. */
export function byActivity(a: Pod, b: Pod): number {
  const scheduled = Number(!a.spec?.nodeName) - Number(!b.spec?.nodeName);
  const order: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
  const phase = (order[b.status?.phase ?? ""] ?? 0) - (order[a.status?.phase ?? ""] ?? 0);
  const ready = Number(isReady(b)) - Number(isReady(a));
  const goes =
    Number(Boolean(a.metadata?.deletionTimestamp)) - Number(Boolean(b.metadata?.deletionTimestamp));
  return (
    scheduled ||
    phase ||
    ready ||
    goes ||
    (isReady(a) ? byTime(readySince(a), readySince(b)) : 0) ||
    restarts(a) - restarts(b) ||
    byTime(createdAt(a), createdAt(b))
  );
}
