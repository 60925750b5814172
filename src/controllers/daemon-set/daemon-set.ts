/** Upstream: pkg/controller/daemon/daemon_controller.go. */
import { controllerRevisions, type DaemonSet, daemonSets } from "#/api/apps/v1.ts";
import { type Node, nodes, type Pod, pods } from "#/api/core/v1.ts";
import { keyOf, refKey } from "#/client/object-key.ts";
import {
  type Controller,
  type ControllerContext,
  controller,
  type ReconcileResult,
  watch,
} from "#/controller/controller.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { controllerReference } from "#/machinery/meta/owner-references.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { failureOf } from "#/std/base/as-error.ts";
import { watchOrphans } from "../base/claim.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { claimPods } from "../pods/claim-pods.ts";
import { createPods, deletePods, podFromTemplate } from "../pods/create-pod.ts";
import { isFinished } from "../pods/pod-state.ts";
import {
  claimRevisions,
  deleteRevisions,
  ensureRevision,
  type History,
  revisionLabel,
} from "../revisions/revisions.ts";
import { FailedPodDelays } from "./failed-pod-delays.ts";
import { affinityToNode, daemonTolerations, targetNode } from "./node-fit.ts";
import { type DaemonPlan, type Daemons, planPods } from "./plan-pods.ts";
import { generationLabel, planRollout } from "./plan-rollout.ts";
import { computeStatus } from "./status.ts";

type Context = ControllerContext<ManagerOptions>;

/** Limit of Pods created or deleted in one sync. */
const burst = 250;
const name = "daemonset-controller";

/** Maintains one Pod on each node that a DaemonSet selects. */
export const daemonSetController: Controller<ManagerOptions> = {
  name,
  run(context) {
    const delays = new FailedPodDelays(context.clock);
    return controller<DaemonSet, ManagerOptions>({
      name,
      for: daemonSets,
      owns: [pods, controllerRevisions],
      watches: [
        watchOrphans(pods, daemonSets),
        watch(
          nodes,
          (_: Node, { informers }: Context) =>
            informers.informer(daemonSets).store.list().map(keyOf),
          { predicate: nodeMatters },
        ),
      ],
      workers: ({ flags }) => flags["concurrent-daemonset-syncs"],
      reconcile: (set, own) => reconcile(set, own, delays),
      gone: async (ref) => delays.forget(refKey(ref)),
    }).run(context);
  },
};

/**
 * Nodes update their status every few seconds; only fields that decide where Pods run are relevant.
 */
function nodeMatters(now: Node | undefined, old: Node | undefined): boolean {
  if (!now || !old) return true;
  return (
    !deepEqual(now.metadata.labels, old.metadata.labels) ||
    !deepEqual(now.spec?.taints, old.spec?.taints)
  );
}

async function reconcile(
  set: DaemonSet,
  context: Context,
  delays: FailedPodDelays,
): Promise<ReconcileResult> {
  const { client, recorder } = context;
  if (Object.keys(set.spec.selector ?? {}).length === 0) {
    const message = "This daemon set is selecting all pods. A non-empty selector is required.";
    recorder.event(set, "Warning", "SelectingAll", message);
    return;
  }
  if (set.metadata.deletionTimestamp) return;
  const revisions = await claimRevisions(set, daemonSets, context);
  const history = await ensureRevision(set, daemonSets, revisions, context);
  const failure = await failureOf(sync(set, history, context, delays));
  const daemons = await observe(set, history, context);
  const status = computeStatus(daemons, history.collisionCount);
  if (!deepEqual(status, set.status)) {
    await client.updateStatus(daemonSets, { ...set, status });
  }
  if (failure) throw failure;
  const isWaiting = status.numberReady !== (status.numberAvailable ?? 0);
  const readySeconds = set.spec.minReadySeconds ?? 0;
  return {
    afterMs: isWaiting && readySeconds > 0 ? readySeconds * 1000 : delays.nextMs(set),
  };
}

/** Creates and deletes Pods; if nothing is missing, does the next step of a rollout. */
async function sync(
  set: DaemonSet,
  history: History,
  context: Context,
  delays: FailedPodDelays,
): Promise<void> {
  const daemons = await observe(set, history, context);
  const plan = planPods(daemons, (node) => delays.mayReplace(set, node));
  recordEnded(set, plan, context);
  await carryOut(daemons, plan, context);
  const isSettled = plan.create.length === 0 && plan.remove.length === 0;
  if (isSettled && set.spec.updateStrategy?.type !== "OnDelete") {
    await carryOut(daemons, planRollout(daemons), context);
  }
  const all = await ownPods(set, context);
  const used = new Set(all.map(({ metadata }) => metadata.labels?.[revisionLabel]));
  const excess = history.old.length - (set.spec.revisionHistoryLimit ?? 10);
  const isUsed = ({ metadata }: { metadata: Pod["metadata"] }): boolean =>
    used.has(metadata.labels?.[revisionLabel]);
  await deleteRevisions(history.old, excess, isUsed, context);
}

function ownPods(set: DaemonSet, context: Context): Promise<Pod[]> {
  const selector = compileLabelSelector(set.spec.selector);
  return claimPods({ owner: set, ownerResource: daemonSets, selector }, context);
}

async function observe(set: DaemonSet, { newest }: History, context: Context): Promise<Daemons> {
  const podsByNode = new Map<string, Pod[]>();
  for (const pod of await ownPods(set, context)) {
    const node = targetNode(pod);
    const isOver = isFinished(pod) && pod.metadata.deletionTimestamp !== undefined;
    if (node === undefined || isOver) continue;
    const there = podsByNode.get(node);
    if (there) there.push(pod);
    else podsByNode.set(node, [pod]);
  }
  return {
    set,
    nodes: context.informers.informer(nodes).store.list(),
    podsByNode,
    hash: newest.metadata.labels?.[revisionLabel] ?? "",
    nowMs: context.clock.now(),
  };
}

function recordEnded(set: DaemonSet, { remove }: DaemonPlan, { recorder }: Context): void {
  for (const pod of remove) {
    const where = `daemon pod ${keyOf(pod)} on node ${targetNode(pod)}`;
    if (pod.status?.phase === "Failed") {
      const message = `Found failed ${where}, will try to kill it`;
      recorder.event(set, "Warning", "FailedDaemonPod", message);
    } else if (pod.status?.phase === "Succeeded") {
      const message = `Found succeeded ${where}, will try to delete it`;
      recorder.event(set, "Normal", "SucceededDaemonPod", message);
    }
  }
}

async function carryOut(
  { set, hash }: Daemons,
  { create, remove }: DaemonPlan,
  context: Context,
): Promise<void> {
  const desired = create.slice(0, burst).map((node) => podFor(set, hash, node));
  const { failure } = await createPods(desired, set, context);
  await deletePods(remove.slice(0, burst), set, context);
  if (failure) throw failure;
}

function podFor(set: DaemonSet, hash: string, node: string): Pod {
  const pod = podFromTemplate(set.spec.template, set, controllerReference(set, daemonSets));
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: { ...pod.metadata.labels, ...generationLabel(set), [revisionLabel]: hash },
    },
    spec: {
      ...pod.spec,
      tolerations: daemonTolerations(pod.spec),
      affinity: affinityToNode(pod.spec?.affinity, node),
    },
  } as Pod;
}
