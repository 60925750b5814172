/** Upstream: pkg/controller/podgc/gc_controller.go. */
import { nodes, type Pod, pods } from "#/api/core/v1.ts";
import { keyOf, refOf } from "#/client/object-key.ts";
import type { Controller, ControllerContext } from "#/controller/controller.ts";
import { periodic } from "#/controller/periodic.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { forEachParallel } from "#/std/async/for-each-parallel.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { isFinished } from "../pods/pod-state.ts";
import { endedBeyond, terminatingOnDeadNodes, terminatingUnscheduled } from "./plan-removal.ts";

type Context = ControllerContext<ManagerOptions>;

const name = "pod-garbage-collector-controller";
const everyMs = 20_000;
/** Time (ms) of absence after which a node counts as deleted. */
const quarantineMs = 40_000;
/** Limit of Pods that are deleted in parallel: other requests must have their turn. */
const maxParallel = 16;

/**
 * Deletes Pods that no other component deletes: too many ended ones, and those of deleted nodes.
 */
export const podGcController: Controller<ManagerOptions> = {
  name,
  run(context) {
    /** Since when nodes with Pods are absent. */
    const absentSince = new Map<string, number>();
    return periodic<ManagerOptions>({
      name,
      everyMs,
      reads: [pods, nodes],
      run: (own) => collect(own, absentSince),
    }).run(context);
  },
};

async function collect(context: Context, absentSince: Map<string, number>): Promise<void> {
  const { informers, options } = context;
  const all = informers.informer(pods).store.list();
  const { store } = informers.informer(nodes);
  const toDelete = new Set([
    ...endedBeyond(all, options.flags["terminated-pod-gc-threshold"]),
    ...terminatingOnDeadNodes(all, (node) => store.get("", node)),
    ...terminatingUnscheduled(all),
  ]);
  const gone = await goneNodes(all, context, absentSince);
  const orphans = all.filter(({ spec }) => gone.has(spec?.nodeName ?? ""));
  for (const pod of orphans) toDelete.delete(pod);
  const removals = [
    ...Array.from(toDelete, (pod) => ({ pod, disruption: undefined })),
    ...orphans.map((pod) => ({ pod, disruption: "PodGC: node no longer exists" })),
  ];
  await forEachParallel(
    removals,
    maxParallel,
    ({ pod, disruption }) => remove(pod, context, disruption),
    (error, { pod }) => context.log.error(error, "failed to delete Pod", { pod: keyOf(pod) }),
  );
}

/** Nodes of bound Pods that have been absent for long, also on the server. */
async function goneNodes(
  all: readonly Pod[],
  { client, clock, informers }: Context,
  absentSince: Map<string, number>,
): Promise<Set<string>> {
  const { store } = informers.informer(nodes);
  const absent = new Set(
    all.flatMap(({ spec }) =>
      spec?.nodeName && !store.get("", spec.nodeName) ? [spec.nodeName] : [],
    ),
  );
  for (const node of absentSince.keys()) if (!absent.has(node)) absentSince.delete(node);
  const gone = new Set<string>();
  for (const node of absent) {
    const sinceMs = absentSince.get(node) ?? clock.monotonicMs();
    absentSince.set(node, sinceMs);
    if (clock.monotonicMs() - sinceMs < quarantineMs) continue;
    try {
      await client.get(nodes, { name: node });
    } catch (error) {
      if (isNotFound(error)) gone.add(node);
    }
  }
  return gone;
}

/** Marks a Pod as failed, records why if it was disrupted, and deletes it at once. */
async function remove(
  pod: Pod,
  { client, clock }: Context,
  disruption: string | undefined,
): Promise<void> {
  const { generation, uid } = pod.metadata;
  const observed = pod.status?.observedGeneration && generation ? generation : undefined;
  const observedGeneration = observed === undefined ? {} : { observedGeneration: observed };
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByPodGC",
    message: disruption,
    lastTransitionTime: formatTime(clock.now()),
    ...observedGeneration,
  };
  const conditions = disruption === undefined ? {} : { conditions: [condition] };
  const status = { phase: "Failed", ...observedGeneration, ...conditions };
  try {
    if (!isFinished(pod)) {
      await client.patchStatus(
        pods,
        refOf(pod),
        { metadata: { uid }, status },
        { type: "strategic" },
      );
    }
    await client.delete(pods, refOf(pod), { gracePeriodSeconds: 0 });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
