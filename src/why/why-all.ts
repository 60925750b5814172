import { apiServices } from "#/api/apiregistration/v1.ts";
import { daemonSets, deployments, replicaSets, statefulSets } from "#/api/apps/v1.ts";
import { horizontalPodAutoscalers } from "#/api/autoscaling/v2.ts";
import type { Resource } from "#/api/base/resource.ts";
import { cronJobs, jobs } from "#/api/batch/v1.ts";
import {
  namespaces,
  nodes,
  type Pod,
  persistentVolumeClaims,
  pods,
  replicationControllers,
  services,
} from "#/api/core/v1.ts";
import { ingresses } from "#/api/networking/v1.ts";
import { findControllerReference } from "#/machinery/meta/owner-references.ts";
import { type AnyObject, conditionsOf } from "./base/any-object.ts";
import type { Diagnosis, Subject, Unread } from "./base/finding.ts";
import type { View } from "./base/view.ts";
import { causes } from "./causes/index.ts";
import type { Target } from "./diagnose.ts";
import { containersOf, isCrashing, isWell } from "./facts/containers.ts";
import { rulesOf } from "./kinds/index.ts";
import { listPath } from "./read/paths.ts";
import type { Answer, Form } from "./read/snapshot.ts";
import { SnapshotView } from "./read/snapshot-view.ts";
import { readAll, type WhyOptions, whyWith } from "./why.ts";

/** The diagnosis of an object, and other objects that are stuck for the same cause. */
interface StuckObject extends Diagnosis {
  readonly others: readonly Subject[];
}

/** What is stuck in a namespace, or in all. */
export interface Survey {
  /** Of the objects that are stuck; what concerns all of the cluster first. */
  readonly diagnoses: readonly StuckObject[];
  /** Number of objects that were looked at. */
  readonly looked: number;
  /** Number of objects that may be stuck as well, beyond the limit of those that are looked into. */
  readonly more: number;
  readonly unread: readonly Unread[];
}

/** Resources whose objects concern the whole cluster. */
const clusterWide: readonly Resource[] = [nodes, namespaces, apiServices];

/** Resources whose objects are looked at, those first that others depend on. */
const surveyed: readonly Resource[] = [
  persistentVolumeClaims,
  deployments,
  statefulSets,
  daemonSets,
  replicaSets,
  replicationControllers,
  jobs,
  cronJobs,
  pods,
  services,
  ingresses,
  horizontalPodAutoscalers,
];

/** Limit of the objects that are looked into (count): the first explain the others. */
const maxSuspects = 50;

/** Everything that is stuck in a namespace; undefined for all, and for what is in none. */
export async function whyAll(namespace: string | undefined, options: WhyOptions): Promise<Survey> {
  const resources = [...(namespace === undefined ? clusterWide : []), ...surveyed];
  const answers = new Map<string, Answer>();
  const paths = resources.map((resource): [string, Form] => [
    listPath(resource, { namespace }),
    "json",
  ]);
  await readAll(new Map(paths), answers, options);
  const view = new SnapshotView({ nowMs: options.now(), answers, logs: false });
  const all = resources.flatMap((resource) =>
    (view.list(resource as Resource<AnyObject>, { namespace }) ?? []).map((object) => ({
      resource,
      object,
    })),
  );
  const suspects = suspectsAmong(all, view);
  const diagnoses: Diagnosis[] = [];
  // One after the other: what was read for one is known for the next.
  for (const target of suspects.slice(0, maxSuspects)) {
    const found = await whyWith(target, answers, options).catch(ignoreGone);
    if (found?.state === "stuck" && !isIntended(found)) diagnoses.push(found);
  }
  const unread = [
    ...view.unread.filter(({ what }) => resources.some(({ name }) => name === what)),
    ...cutOff(resources, namespace, view),
  ];
  const more = Math.max(0, suspects.length - maxSuspects);
  return { diagnoses: oncePerCause(diagnoses), looked: all.length, more, unread };
}

/** The lists that are too long to be looked at as a whole. */
const cutOff = (
  resources: readonly Resource[],
  namespace: string | undefined,
  view: View,
): readonly Unread[] =>
  resources.flatMap((resource) => {
    const looked = view.list(resource, { namespace })?.length ?? 0;
    if (looked === 0 || view.isWhole(resource, { namespace })) return [];
    const what = `${resource.name} after the first ${looked}`;
    return [{ what, reason: "failed", message: "there are too many" } as const];
  });

/** An object that was deleted meanwhile is not stuck. */
const ignoreGone = (): undefined => undefined;

/** Whether a person wants the object to be as it is. */
const isIntended = ({ findings: [first] }: Diagnosis): boolean =>
  causes.some(({ name, isIntended: is }) => is && name === first?.cause);

interface Listed {
  readonly resource: Resource;
  readonly object: AnyObject;
}

/** The objects that may be stuck, each by the object that has made it. */
function suspectsAmong(all: readonly Listed[], view: View): readonly Target[] {
  const byUid = new Map(all.map((one) => [one.object.metadata.uid ?? "", one]));
  const roots = new Set<Listed>();
  for (const one of all) if (mayBeStuck(one, view)) roots.add(rootOf(one, byUid));
  return [...all.filter((one) => roots.has(one))].map(({ resource, object }) => ({
    resource,
    namespace: object.metadata.namespace,
    name: object.metadata.name ?? "",
  }));
}

/** The object at the top of the owners that are known. */
function rootOf(listed: Listed, byUid: ReadonlyMap<string, Listed>): Listed {
  const owner = findControllerReference(listed.object);
  const parent = owner && byUid.get(owner.uid);
  return parent ? rootOf(parent, byUid) : listed;
}

const good = new Set(["Ready", "Available"]);

function mayBeStuck({ resource, object }: Listed, view: View): boolean {
  if (object.metadata.deletionTimestamp) return true;
  if (resource === pods) return isUnwell(object as Pod, view.nowMs);
  if (conditionsOf(object).some(({ type, status }) => good.has(type) && status !== "True"))
    return true;
  // Services and autoscalers show it only below, or in other words.
  if (resource === services || resource === horizontalPodAutoscalers || resource === cronJobs)
    return true;
  return rulesOf(resource).unfinished?.(object, view) !== undefined;
}

/** A Pod of a Job that has failed was replaced by the next: the Job counts. */
const isUnwell = (pod: Pod, nowMs: number): boolean =>
  (!isWell(pod) && pod.status?.phase !== "Failed") ||
  (pod.status?.phase === "Failed" && findControllerReference(pod) === undefined) ||
  containersOf(pod).some((one) => isCrashing(one, pod, nowMs));

/** What is stuck for the same cause is named once, with the number of the others. */
function oncePerCause(diagnoses: readonly Diagnosis[]): readonly StuckObject[] {
  const groups = new Map<string, Diagnosis[]>();
  for (const one of diagnoses) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, others: others.map(({ subject }) => subject) }] : [],
  );
}

/** Equal for objects that the same thing holds up: the same words about the same object, or about another of its kind. */
function keyOf({ subject, findings: [first] }: Diagnosis): string {
  const { cause = "", about = subject, sentence = "" } = first ?? {};
  return JSON.stringify([cause, about.kind, about.namespace, sentence.replaceAll(about.name, "")]);
}
