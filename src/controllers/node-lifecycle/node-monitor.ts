/** Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go (monitorNodeHealth, doNoExecuteTaintingPass). */
import { leases } from "#/api/coordination/v1.ts";
import { type Node, nodes, type Pod, pods, type Taint } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import type { Controller, ControllerContext } from "#/controller/controller.ts";
import { periodic } from "#/controller/periodic.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import { formatTime } from "#/machinery/time/time.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { podsOnNode } from "../pods/pod-indexes.ts";
import { evictionRates, zoneOf } from "./eviction-pace.ts";
import { type Observation, observe, silentConditions } from "./node-health.ts";

type Context = ControllerContext<ManagerOptions>;

const taintKeys: Readonly<Record<string, string>> = {
  False: "node.kubernetes.io/not-ready",
  Unknown: "node.kubernetes.io/unreachable",
};

/**
 * Monitors nodes: silent ones get Unknown conditions, and their Pods become not ready and are
 * evicted after a time.
 */
export function nodeMonitor(): Controller<ManagerOptions> {
  const observations = new Map<string, Observation>();
  const pace = new EvictionPace();
  return periodic<ManagerOptions>({
    name: "node-lifecycle-controller",
    eventSource: "node-controller",
    everyMs: ({ flags }) => flags["node-monitor-period"],
    reads: [nodes, pods, leases],
    async run(context) {
      const all = context.informers.informer(nodes).store.list();
      const names = new Set(all.map(({ metadata }) => metadata.name));
      for (const name of observations.keys()) if (!names.has(name)) observations.delete(name);
      pace.refill(all, context);
      for (const node of all) {
        await watchOver(node, observations, pace, context).catch((error: unknown) => {
          if (!isConflict(error) && !isNotFound(error)) throw error;
        });
      }
    },
  });
}

/** The tokens of a zone without eviction. */
const stopped = Number.NEGATIVE_INFINITY;

/** Limits the evicted nodes of each zone: one token per node, refilled over time. */
class EvictionPace {
  readonly #tokens = new Map<string, number>();
  #lastMs: number | undefined;

  refill(all: readonly Node[], { clock, options }: Context): void {
    const now = clock.monotonicMs();
    const seconds = (now - (this.#lastMs ?? now)) / 1000;
    this.#lastMs = now;
    for (const [zone, rate] of evictionRates(all, options.flags)) {
      // If nothing was allowed before, one node is allowed at once.
      const before = this.#tokens.get(zone) ?? stopped;
      const tokens = before === stopped ? 1 : Math.min(1, before + seconds * rate);
      this.#tokens.set(zone, rate === 0 ? stopped : tokens);
    }
  }

  allows(node: Node): boolean {
    return (this.#tokens.get(zoneOf(node)) ?? 0) >= 1;
  }

  spend(node: Node): void {
    const zone = zoneOf(node);
    this.#tokens.set(zone, (this.#tokens.get(zone) ?? 0) - 1);
  }
}

async function watchOver(
  given: Node,
  observations: Map<string, Observation>,
  pace: EvictionPace,
  context: Context,
): Promise<void> {
  const { client, informers, clock, options, recorder } = context;
  const { name = "", uid = "" } = given.metadata;
  const lease = informers.informer(leases).store.get("kube-node-lease", name);
  const seen = observe(given, lease?.spec?.renewTime, observations.get(name), clock.now());
  observations.set(name, seen);
  const conditions = silentConditions(given, seen, {
    graceMs: options.flags["node-monitor-grace-period"],
    startupGraceMs: options.flags["node-startup-grace-period"],
    nowMs: clock.now(),
  });
  const node = conditions
    ? await client.updateStatus(nodes, { ...given, status: { ...given.status, conditions } })
    : given;
  const ready = findCondition(node.status?.conditions, "Ready")?.status ?? "Unknown";
  if (ready !== "True") {
    if (conditions) {
      const message = `Node ${name} status is now: NodeNotReady`;
      recorder.event({ kind: "Node", name, uid }, "Normal", "NodeNotReady", message);
    }
    await markPodsNotReady(name, context);
  }
  await taintForEviction(node, ready, pace, context);
}

/** Pods on a node that isn't ready get no traffic. */
async function markPodsNotReady(node: string, { client, informers, clock, recorder }: Context) {
  const isReady = ({ status }: Pod): boolean =>
    findCondition(status?.conditions, "Ready")?.status === "True";
  for (const pod of podsOnNode(node, informers).filter(isReady)) {
    const condition = {
      type: "Ready",
      status: "False",
      lastTransitionTime: formatTime(clock.now()),
    };
    const patch = { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } };
    try {
      await client.patch(pods, refOf(pod), patch, { type: "strategic", subresource: "status" });
      recorder.event(pod, "Warning", "NodeNotReady", "Node is not ready");
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Sets the NoExecute taint of a node that is not ready or unreachable, at the zone's rate. */
async function taintForEviction(node: Node, ready: string, pace: EvictionPace, context: Context) {
  const { client, clock } = context;
  const desired = taintKeys[ready];
  const taints = node.spec?.taints ?? [];
  const isOurs = ({ key, effect }: Taint): boolean =>
    effect === "NoExecute" && Object.values(taintKeys).includes(key);
  const now = taints.filter(isOurs).map(({ key }) => key);
  if (now.join() === (desired ?? "")) return;
  const isFirst = desired !== undefined && now.length === 0;
  if (isFirst && !pace.allows(node)) return;
  const added: Taint[] =
    desired === undefined
      ? []
      : [{ key: desired, effect: "NoExecute", timeAdded: formatTime(clock.now()) }];
  const spec = { ...node.spec, taints: [...taints.filter((taint) => !isOurs(taint)), ...added] };
  await client.update(nodes, { ...node, spec });
  if (isFirst) pace.spend(node);
}
