/** Upstream: pkg/controller/tainteviction. */
import { type Node, nodes, type Pod, pods } from "#/api/core/v1.ts";
import { keyOf, refKey, refOf } from "#/client/object-key.ts";
import {
  type Controller,
  type ControllerContext,
  controller,
  type ReconcileResult,
  watch,
} from "#/controller/controller.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { markDisrupted } from "../pods/mark-disrupted.ts";
import { podsOnNode } from "../pods/pod-indexes.ts";
import { allowedStayMs } from "./plan-eviction.ts";

type Context = ControllerContext<ManagerOptions>;

const name = "taint-eviction-controller";

/** Since when (monotonic ms) Pods have been on nodes with untolerated taints, by key. */
type FirstSeen = Map<string, { readonly uid: string; readonly sinceMs: number }>;

const noExecute = (node: Node | undefined) =>
  (node?.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");

/**
 * Deletes Pods that don't tolerate the taints of their node, when their toleration time has passed.
 */
export const taintEvictionController: Controller<ManagerOptions> = {
  name,
  run(context) {
    const seen: FirstSeen = new Map();
    return controller<Pod, ManagerOptions>({
      name,
      for: pods,
      queue: "noexec_taint_pod",
      workers: 8,
      watches: [
        watch(nodes, podsOf, {
          predicate: (now, old) => !deepEqual(noExecute(now), noExecute(old)),
        }),
      ],
      predicate: (now, old) =>
        now === undefined ||
        now.spec?.nodeName !== old?.spec?.nodeName ||
        !deepEqual(now.spec?.tolerations, old?.spec?.tolerations),
      reconcile: (pod, own) => reconcile(pod, own, seen),
      gone: async (ref) => void seen.delete(refKey(ref)),
    }).run(context);
  },
};

const podsOf = ({ metadata }: Node, { informers }: Context): string[] =>
  podsOnNode(metadata.name ?? "", informers).map(keyOf);

async function reconcile(pod: Pod, context: Context, seen: FirstSeen): Promise<ReconcileResult> {
  const { client, informers, clock, recorder } = context;
  const { uid = "" } = pod.metadata;
  const key = keyOf(pod);
  const node = informers.informer(nodes).store.get("", pod.spec?.nodeName ?? "");
  const taints = pod.metadata.deletionTimestamp ? [] : noExecute(node);
  const stayMs = allowedStayMs(taints, pod.spec?.tolerations ?? []);
  const about = { apiVersion: "v1", kind: "Pod", ...refOf(pod) };
  if (stayMs === undefined) {
    if (seen.delete(key) && !pod.metadata.deletionTimestamp) {
      const message = `Cancelling deletion of Pod ${key}`;
      recorder.event(about, "Normal", "TaintManagerEviction", message);
    }
    return undefined;
  }
  const nowMs = clock.monotonicMs();
  const before = seen.get(key);
  const sinceMs = before?.uid === uid ? before.sinceMs : nowMs;
  if (sinceMs + stayMs > nowMs) {
    seen.set(key, { uid, sinceMs });
    return { afterMs: sinceMs + stayMs - nowMs };
  }
  recorder.event(about, "Normal", "TaintManagerEviction", `Marking for deletion Pod ${key}`);
  seen.delete(key);
  try {
    await markDisrupted(
      pod,
      "DeletionByTaintManager",
      "Taint manager: deleting due to NoExecute taint",
      context,
    );
    await client.delete(pods, refOf(pod), { preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return undefined;
}
