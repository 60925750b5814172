import type { DaemonSet, Deployment, StatefulSet } from "#/api/apps/v1.ts";
import type { Namespace, Node, Pod } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { controllerOf, isReady, isTerminating, nameOf, podsOf } from "../pods.ts";
import { type Change, staleMs, type World } from "../world.ts";
import type { Property } from "./property.ts";
import { setsOf } from "./rollouts.ts";

type Workload = Deployment | DaemonSet | StatefulSet;

/**
 * A rollout never makes more Pods unavailable than maxUnavailable. Other disruptions count for no controller: a
 * workload is checked only from when it is complete until something but its own rollout changes it.
 */
export class AvailabilityIsKept implements Property {
  readonly name = "a rollout keeps to maxUnavailable";
  /** Workloads that were complete and unchanged since, with the replicas they had. */
  readonly #whole = new Map<string, number>();

  /** Records a change of a Pod that its controllers did not cause. */
  disturb(pod: Pod, world: World): void {
    const owner = world.findUid(controllerOf(pod));
    this.#whole.delete(owner?.metadata.uid ?? "");
    if (owner) this.#whole.delete(controllerOf(owner));
  }

  /** The same for all Pods on a node. */
  disturbNode(node: string, world: World): void {
    for (const pod of world.list<Pod>("pods")) {
      if (pod.spec?.nodeName === node) this.disturb(pod, world);
    }
  }

  disturbAll(): void {
    this.#whole.clear();
  }

  /** Finds complete workloads: all their Pods are Ready, on nodes that have been up for a while. */
  settle(world: World, isSteady: (node: string) => boolean): void {
    for (const workload of workloads(world)) {
      const wanted = wantedOf(workload, world);
      const name = `wanted ${workload.metadata.uid}`;
      world.note(name, wanted);
      if (world.clock.monotonicMs() - world.lastChangeMs(name) < staleMs) continue;
      const pods = readyPods(workload, world);
      if (!pods.every(({ spec }) => isSteady(spec?.nodeName ?? ""))) continue;
      if (pods.length >= wanted) this.#whole.set(workload.metadata.uid ?? "", wanted);
    }
  }

  check({ resource, now, old }: Change, world: World): string | undefined {
    if (resource === "pods") {
      const [before, after] = [old as Pod | undefined, now as Pod | undefined];
      // A rollout removes a Pod by deleting it. A Pod that fails, or whose node fails, is not counted for it.
      if (before && after && isReady(before) && isDown(after)) this.disturb(before, world);
      return before && this.#checkPod(before, world);
    }
    const isWorkload = ["deployments", "daemonsets", "statefulsets"].includes(resource);
    if (!isWorkload) return undefined;
    const uid = now?.metadata.uid ?? "";
    if (!now || now.metadata.deletionTimestamp) this.#whole.delete(old?.metadata.uid ?? uid);
    else if (this.#whole.has(uid) && this.#whole.get(uid) !== wantedOf(now as Workload, world)) {
      this.#whole.delete(uid);
    }
    return undefined;
  }

  #checkPod(pod: Pod, world: World): string | undefined {
    const owner = world.findUid(controllerOf(pod));
    const workload = (owner && (world.findUid(controllerOf(owner)) ?? owner)) as
      | Workload
      | undefined;
    const wanted = this.#whole.get(workload?.metadata.uid ?? "");
    if (!workload || wanted === undefined || !lives(workload.metadata, world)) return undefined;
    const least = wanted - maxUnavailableOf(workload);
    const ready = readyPods(workload, world).length;
    if (ready >= least) return undefined;
    return `${workload.kind} ${nameOf(workload)}: ${ready} of ${wanted} Pods are available, ${least} must be`;
  }
}

const isDown = (pod: Pod): boolean => !isReady(pod) && !isTerminating(pod);

function workloads(world: World): Workload[] {
  return [
    ...world
      .list<Deployment>("deployments")
      .filter(({ spec }) => spec?.strategy?.type !== "Recreate"),
    ...world.list<DaemonSet>("daemonsets"),
    ...world.list<StatefulSet>("statefulsets"),
  ].filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Whether an object's namespace is not being deleted: a deletion takes all its Pods with it. */
function lives({ namespace = "" }: ObjectMeta, world: World): boolean {
  const found = world.find<Namespace>("namespaces", namespace);
  return found !== undefined && found.metadata.deletionTimestamp === undefined;
}

function wantedOf(workload: Workload, world: World): number {
  if (workload.kind === "DaemonSet") return world.list<Node>("nodes").length;
  return (workload as Deployment).spec?.replicas ?? 1;
}

function readyPods(workload: Workload, world: World): Pod[] {
  const uids =
    workload.kind === "Deployment"
      ? setsOf(workload as Deployment, world).map(({ metadata }) => metadata.uid ?? "")
      : [workload.metadata.uid ?? ""];
  return uids.flatMap((uid) => podsOf(world, uid)).filter(isReady);
}

/** Only whole numbers, as in the simulation's workloads. */
function maxUnavailableOf(workload: Workload): number {
  if (workload.kind === "StatefulSet") return 1;
  const spec =
    workload.kind === "DaemonSet"
      ? (workload as DaemonSet).spec?.updateStrategy
      : (workload as Deployment).spec?.strategy;
  return Number(spec?.rollingUpdate?.maxUnavailable ?? 0);
}
