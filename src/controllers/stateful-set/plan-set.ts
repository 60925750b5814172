/** Upstream: pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet). */
import type { ControllerRevision, StatefulSet } from "#/api/apps/v1.ts";
import type { Pod, PodTemplateSpec } from "#/api/core/v1.ts";
import { scaledValue } from "#/machinery/values/int-or-string.ts";
import { isAvailable, isFinished, isReady } from "../pods/pod-state.ts";
import { revisionLabel } from "../revisions/revisions.ts";
import { isInRange, ordinalOf, podFor, replicasOf, startOf } from "./identity.ts";

/** A set, its Pods, and its current and update revisions. */
export interface SetView {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly nowMs: number;
  /** Whether maxUnavailable above 1 is supported during an update. */
  readonly obeysMaxUnavailable: boolean;
}

/** An action on a Pod; "tend" corrects its labels and claims, "retain" its claims only. */
export interface Action {
  readonly verb: "create" | "delete" | "tend" | "retain";
  readonly pod: Pod;
}

/** Lists of actions; each list is executed after the previous one. */
export type Plan = readonly (readonly Action[])[];

export const isOrdered = ({ spec }: StatefulSet): boolean =>
  spec.podManagementPolicy !== "Parallel";

const isBeingDeleted = ({ metadata }: Pick<Pod, "metadata">): boolean =>
  metadata.deletionTimestamp !== undefined;
const isCreated = ({ status }: Pod): boolean => (status?.phase ?? "") !== "";
const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === "Running" && isReady(pod);
export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[revisionLabel] ?? "";

/** The next actions of a set. */
export function planSet(view: SetView): Plan {
  const { set, pods } = view;
  if (isBeingDeleted(set)) return [];
  const replicas = desiredPods(view);
  const condemned = pods
    .filter((pod) => ordinalOf(pod) >= 0 && !isInRange(pod, set))
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
  const kept = isOrdered(set) ? planInOrder(view, replicas) : planAtOnce(replicas);
  if (kept.isBlocked) return [kept.actions];
  const retained = condemned.map((pod) => ({ verb: "retain", pod }) as const);
  const removed = planRemoval(view, replicas, condemned);
  const plan = [kept.actions, retained, removed.actions];
  return removed.isBlocked ? plan : [...plan, planUpdate(view, replicas)];
}

/** The desired Pods of a set; missing ones have no status. */
function desiredPods({ set, pods, current, update }: SetView): Pod[] {
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const kept =
    rollingUpdate?.partition ?? (type === "RollingUpdate" ? (set.status?.currentReplicas ?? 0) : 0);
  return Array.from({ length: replicasOf(set) }, (_, place) => {
    const ordinal = startOf(set) + place;
    const there = byOrdinal.get(ordinal);
    if (there) return there;
    const revision = place < kept ? current : update;
    return podFor(set, ordinal, templateOf(revision), revision.metadata.name ?? "");
  });
}

function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  const { spec } = data as { spec: { template: PodTemplateSpec & { $patch?: string } } };
  const { $patch: _, ...template } = spec.template;
  return template;
}

interface Step {
  readonly actions: readonly Action[];
  /** Whether further actions must wait. */
  readonly isBlocked: boolean;
}

/** Creates Pods one by one, each when those before it are available. */
function planInOrder({ set, nowMs }: SetView, replicas: readonly Pod[]): Step {
  const actions: Action[] = [];
  for (const pod of replicas) {
    if (isFinished(pod)) {
      if (!isBeingDeleted(pod)) actions.push({ verb: "delete", pod });
      return { actions, isBlocked: true };
    }
    if (!isCreated(pod)) return { actions: [...actions, { verb: "create", pod }], isBlocked: true };
    actions.push({ verb: "tend", pod });
    const isWorking =
      isRunningAndReady(pod) && isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
    if (isBeingDeleted(pod) || !isWorking) return { actions, isBlocked: true };
  }
  return { actions, isBlocked: false };
}

function planAtOnce(replicas: readonly Pod[]): Step {
  const actions = replicas.flatMap((pod): Action[] => {
    if (isFinished(pod)) return isBeingDeleted(pod) ? [] : [{ verb: "delete", pod }];
    return [{ verb: isCreated(pod) ? "tend" : "create", pod }];
  });
  return { actions, isBlocked: false };
}

/**
 * Deletes Pods beyond the set's size, the highest first; in order only when the others are
 * available.
 */
function planRemoval(view: SetView, replicas: readonly Pod[], condemned: readonly Pod[]): Step {
  const { set, nowMs } = view;
  if (!isOrdered(set)) {
    const remaining = condemned.filter((pod) => !isBeingDeleted(pod));
    return { actions: remaining.map((pod) => ({ verb: "delete", pod })), isBlocked: false };
  }
  const [pod] = condemned;
  if (!pod) return { actions: [], isBlocked: false };
  const firstUnavailable = [...replicas, ...condemned.toReversed()].find((one) =>
    isUnavailable(one, view),
  );
  const isWorking =
    isRunningAndReady(pod) && isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
  const mayDelete = !isBeingDeleted(pod) && (isWorking || pod === firstUnavailable);
  return { actions: mayDelete ? [{ verb: "delete", pod }] : [], isBlocked: true };
}

const isUnavailable = (pod: Pod, { set, nowMs }: SetView): boolean =>
  !isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs) || isBeingDeleted(pod);

/** Deletes Pods of old revisions, from the highest down to the partition. */
function planUpdate(view: SetView, replicas: readonly Pod[]): Action[] {
  const { set, update, obeysMaxUnavailable } = view;
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === "OnDelete" || type === "Recreate") return [];
  const partition = rollingUpdate?.partition ?? 0;
  const targets = replicas.slice(partition).reverse();
  const isOld = (pod: Pod): boolean =>
    revisionOf(pod) !== update.metadata.name && !isBeingDeleted(pod) && isCreated(pod);
  const asDeletions = (pods: readonly Pod[]): Action[] =>
    pods.map((pod) => ({ verb: "delete", pod }));
  if (!obeysMaxUnavailable) {
    const next = targets.find((pod) => isOld(pod) || isUnavailable(pod, view));
    return next && isOld(next) ? asDeletions([next]) : [];
  }
  const { maxUnavailable = 1 } = rollingUpdate ?? {};
  const limit = scaledValue(maxUnavailable, { total: replicasOf(set), roundUp: false });
  const unavailable = replicas.filter((pod) => isUnavailable(pod, view)).length;
  const budget = Math.max(0, Math.max(1, limit) - unavailable);
  const old = targets.filter(isOld);
  if (isOrdered(set)) return asDeletions(old.slice(0, budget));
  const broken = old.filter((pod) => isUnavailable(pod, view));
  const working = old.filter((pod) => !isUnavailable(pod, view));
  return asDeletions([...broken, ...working.slice(0, budget)]);
}
