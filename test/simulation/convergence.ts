import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "#/api/apps/v1.ts";
import type { Job } from "#/api/batch/v1.ts";
import type { Namespace, Node, Pod, ResourceQuota } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { PodDisruptionBudget } from "#/api/policy/v1.ts";
import { controllerOf, isReady, isTerminating, nameOf, podsOf } from "./pods.ts";
import { isFinished } from "./properties/jobs.ts";
import { countedPods } from "./properties/quotas.ts";
import { setsOf } from "./properties/rollouts.ts";
import type { World } from "./world.ts";

type Check = (world: World) => string[];

/** The objects that have not reached their desired state although nothing fails any more; empty once all have. */
export function whatIsLeft(world: World): string[] {
  return checks.flatMap((check) => check(world));
}

const checks: readonly Check[] = [
  namespacesAreGone,
  nothingIsOrphaned,
  nothingIsBeingDeleted,
  deploymentsAreComplete,
  replicaSetsHaveTheirSize,
  statefulSetsAreComplete,
  daemonSetsAreComplete,
  jobsAreFinished,
  quotasAreRight,
  budgetsAreRight,
];

function namespacesAreGone(world: World): string[] {
  const known = new Set(world.list<Namespace>("namespaces").map(({ metadata }) => metadata.name));
  return [...world.all()]
    .filter(([, { metadata }]) => metadata.namespace && !known.has(metadata.namespace))
    .map(([resource, object]) => `${resource} ${nameOf(object)} has outlived its namespace`);
}

function nothingIsOrphaned(world: World): string[] {
  return [...world.all()].flatMap(([resource, object]) =>
    (object.metadata.ownerReferences ?? [])
      .filter(({ uid }) => world.findUid(uid) === undefined)
      .map(({ kind, name }) => `${resource} ${nameOf(object)} has lost its owner ${kind} ${name}`),
  );
}

function nothingIsBeingDeleted(world: World): string[] {
  return [...world.all()]
    .filter(([, { metadata }]) => metadata.deletionTimestamp !== undefined)
    .map(([resource, object]) => `${resource} ${nameOf(object)} is still being deleted`);
}

function deploymentsAreComplete(world: World): string[] {
  return world.list<Deployment>("deployments").flatMap((one) => {
    const { replicas = 1, template } = one.spec ?? {};
    const image = template?.spec?.containers[0]?.image;
    const ready = setsOf(one, world)
      .flatMap(({ metadata }) => podsOf(world, metadata.uid ?? ""))
      .filter((pod) => isReady(pod) && pod.spec?.containers[0]?.image === image);
    const { status = {}, metadata } = one;
    const { updatedReplicas = 0, availableReplicas = 0, replicas: total = 0 } = status;
    if (isAtQuota(world, metadata)) return [];
    const isDone = [ready.length, updatedReplicas, availableReplicas, total].every(
      (n) => n === replicas,
    );
    if (isDone && status.observedGeneration === metadata.generation) return [];
    return [
      `deployment ${nameOf(one)}: ${ready.length} of ${replicas} Pods, status ${total}/${updatedReplicas}/${availableReplicas}`,
    ];
  });
}

function replicaSetsHaveTheirSize(world: World): string[] {
  return world.list<ReplicaSet>("replicasets").flatMap((set) => {
    const wanted = set.spec?.replicas ?? 1;
    const all = podsOf(world, set.metadata.uid ?? "");
    const ready = all.filter(isReady).length;
    if (isAtQuota(world, set.metadata) && ready <= wanted) return [];
    const { replicas = 0, readyReplicas = 0 } = set.status ?? {};
    if (ready === wanted && replicas === wanted && readyReplicas === wanted) return [];
    return [
      `replicaset ${nameOf(set)}: ${ready} of ${wanted} Pods, status ${replicas}/${readyReplicas}`,
    ];
  });
}

function statefulSetsAreComplete(world: World): string[] {
  return world.list<StatefulSet>("statefulsets").flatMap((set) => {
    const { replicas: wanted = 1, template } = set.spec ?? {};
    const image = template?.spec?.containers[0]?.image;
    const { replicas = 0, readyReplicas = 0, updateRevision, currentRevision } = set.status ?? {};
    const ready = podsOf(world, set.metadata.uid ?? "")
      .filter((pod) => isReady(pod) && pod.spec?.containers[0]?.image === image)
      .map(({ metadata }) => metadata.name)
      .sort();
    const names = Array.from({ length: wanted }, (_, ordinal) => `${set.metadata.name}-${ordinal}`);
    if (isAtQuota(world, set.metadata)) return [];
    const isDone =
      ready.join() === names.sort().join() && replicas === wanted && readyReplicas === wanted;
    if (isDone && updateRevision === currentRevision) return [];
    return [
      `statefulset ${nameOf(set)}: ${ready.join()} of ${wanted}, status ${replicas}/${readyReplicas} ${currentRevision} ${updateRevision}`,
    ];
  });
}

function daemonSetsAreComplete(world: World): string[] {
  const nodes = world
    .list<Node>("nodes")
    .map(({ metadata }) => metadata.name)
    .sort();
  return world.list<DaemonSet>("daemonsets").flatMap((set) => {
    const image = set.spec?.template.spec?.containers[0]?.image;
    const on = podsOf(world, set.metadata.uid ?? "")
      .filter((pod) => isReady(pod) && pod.spec?.containers[0]?.image === image)
      .map(({ spec }) => spec?.nodeName)
      .sort();
    if (on.join() === nodes.join() || isAtQuota(world, set.metadata)) return [];
    return [`daemonset ${nameOf(set)}: ready on ${on.join()}`];
  });
}

function jobsAreFinished(world: World): string[] {
  return world
    .list<Job>("jobs")
    .filter((job) => !isFinished(job) && !isAtQuota(world, job.metadata))
    .map((job) => `job ${nameOf(job)} is not finished: ${JSON.stringify(job.status)}`);
}

function quotasAreRight(world: World): string[] {
  return world.list<ResourceQuota>("resourcequotas").flatMap((quota) => {
    const used = String(countedPods(world, quota.metadata.namespace ?? "").length);
    const said = quota.status?.used?.["pods"];
    return said === used ? [] : [`quota ${nameOf(quota)}: ${said} Pods used, there are ${used}`];
  });
}

function budgetsAreRight(world: World): string[] {
  return world.list<PodDisruptionBudget>("poddisruptionbudgets").flatMap((budget) => {
    const { matchLabels = {} } = budget.spec?.selector ?? {};
    const healthy = world
      .list<Pod>("pods")
      .filter(({ metadata }) => metadata.namespace === budget.metadata.namespace)
      .filter((pod) =>
        Object.entries(matchLabels).every(([key, value]) => pod.metadata.labels?.[key] === value),
      )
      .filter((pod) => isReady(pod) && !isTerminating(pod)).length;
    const { currentHealthy } = budget.status ?? {};
    if (currentHealthy === healthy) return [];
    return [`budget ${nameOf(budget)}: ${currentHealthy} healthy Pods, there are ${healthy}`];
  });
}

/** Whether a quota of the namespace admits no more Pods: then its workloads need not be complete. */
function isAtQuota(world: World, { namespace = "" }: ObjectMeta): boolean {
  return world.list<ResourceQuota>("resourcequotas").some(({ metadata, spec }) => {
    if (metadata.namespace !== namespace) return false;
    return countedPods(world, namespace).length >= Number(spec?.hard?.["pods"]);
  });
}

/** Pods without a node that should have one, for reports. */
export function pendingPods(world: World): string[] {
  return world
    .list<Pod>("pods")
    .filter((pod) => !isReady(pod))
    .map(
      (pod) =>
        `${nameOf(pod)} of ${controllerOf(pod) ? "a controller" : "no controller"}: ${pod.status?.phase} on ${pod.spec?.nodeName ?? "no node"}`,
    );
}
