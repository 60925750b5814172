/** Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go (monitorNodeHealth). */
import { leases } from "#/api/coordination/v1.ts";
import { type Node, nodes, type Pod, pods } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import type { Controller, ControllerContext } from "#/controller/controller.ts";
import { periodic } from "#/controller/periodic.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { forEachParallel } from "#/std/async/for-each-parallel.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { podsOnNode } from "../pods/pod-indexes.ts";
import { countZones, EvictionPace, evictionRates, isFullDisruption, zoneOf } from "./disruption.ts";
import { planEvictionTaints } from "./evict-by-taint.ts";
import { LeaseBreaker, leaseNamespace } from "./lease-breaker.ts";
import {
  isSilent,
  type Moment,
  type Observation,
  observe,
  silentConditions,
} from "./node-health.ts";

type Context = ControllerContext<ManagerOptions>;

/** Limit of nodes that are updated in parallel; upstream's. */
const workers = 8;
/** Limit of attempts to update one node in a pass, and the delay (ms) between them; upstream's. */
const maxAttempts = 5;
const retryMs = 20;

/** A node after its check. */
interface Checked {
  readonly node: Node;
  /** Status of its Ready condition; undefined before the kubelet's first report. */
  readonly ready: string | undefined;
}

/**
 * Monitors nodes: silent ones get Unknown conditions, and their Pods become not ready and are
 * evicted after a time.
 */
export function nodeMonitor(): Controller<ManagerOptions> {
  const monitor = new NodeMonitor();
  return periodic<ManagerOptions>({
    name: "node-lifecycle-controller",
    eventSource: "node-controller",
    everyMs: ({ flags }) => flags["node-monitor-period"],
    reads: [nodes, pods, leases],
    run: (context) => monitor.pass(context),
  });
}

class NodeMonitor {
  readonly #observations = new Map<string, Observation>();
  readonly #pace = new EvictionPace();
  readonly #breaker = new LeaseBreaker();
  /** Whether all nodes were down in the previous pass; false before the first. */
  #isDisrupted = false;

  /** Checks all nodes. One that can't be updated is skipped, and is checked in the next pass. */
  async pass(context: Context): Promise<void> {
    const { informers, clock, options, log } = context;
    const all = informers.informer(nodes).store.list();
    const names = new Set(all.map(({ metadata }) => metadata.name));
    for (const name of this.#observations.keys())
      if (!names.has(name)) this.#observations.delete(name);
    const failed = (error: unknown, { metadata }: Node): void => {
      if (isConflict(error) || isNotFound(error)) return;
      log.error(error, "failed to update node health", { node: metadata.name });
    };
    const checked: Checked[] = [];
    const check = async (node: Node): Promise<void> => {
      const result = await this.#check(node, context);
      if (result) checked.push(result);
    };
    await forEachParallel(all, workers, check, failed);
    const zones = countZones(
      checked.map(({ node, ready }) => ({ node, isReady: ready === "True" })),
    );
    if (zones.size === 0) return;
    this.#pace.refill(evictionRates(zones, options.flags), clock.monotonicMs());
    if (isFullDisruption(zones) !== this.#isDisrupted) {
      this.#isDisrupted = !this.#isDisrupted;
      if (this.#isDisrupted) return await cancelEvictions(checked, context);
      this.#beginGracePeriods(context);
    }
    await forEachParallel(
      checked,
      workers,
      (one) => this.#taint(one, context),
      (error, { node }) => failed(error, node),
    );
  }

  /** Nodes that were silent because this controller was disconnected get a whole grace period. */
  #beginGracePeriods({ clock, log }: Context): void {
    log.info("some nodes are ready again, resuming evictions");
    const seenMs = clock.monotonicMs();
    for (const [name, observation] of this.#observations)
      this.#observations.set(name, { ...observation, seenMs });
  }

  /** Updates the conditions of a silent node; undefined if nothing is known about the node now. */
  async #check(given: Node, context: Context): Promise<Checked | undefined> {
    if (!this.#breaker.isClosed(context)) return undefined;
    const { informers, clock, options } = context;
    const { name = "" } = given.metadata;
    const lease = informers.informer(leases).store.get(leaseNamespace, name);
    const moment: Moment = { wallMs: clock.now(), monotonicMs: clock.monotonicMs() };
    const seen = observe(given, lease, this.#observations.get(name), moment);
    this.#observations.set(name, seen);
    const periods = {
      graceMs: options.flags["node-monitor-grace-period"],
      startupGraceMs: options.flags["node-startup-grace-period"],
    };
    const silent = isSilent(given, seen, moment, periods);
    if (silent && !(await this.#breaker.isExpired(name, seen.leaseVersion, context)))
      return undefined;
    const node = silent ? await markSilent(given, context) : given;
    const ready = readyOf(node);
    // A kubelet that is not silent reports the state of its Pods.
    if (silent && ready === "Unknown") await markPodsNotReady(name, context);
    return { node, ready };
  }

  /** Sets the NoExecute taint of a node that is not ready or unreachable, at the zone's rate. */
  async #taint({ node, ready }: Checked, { client, clock }: Context): Promise<void> {
    if (ready === undefined) return;
    const plan = planEvictionTaints(node, ready, formatTime(clock.now()));
    if (!plan) return;
    const zone = zoneOf(node);
    if (plan.isAdded && !this.#pace.tryTake(zone)) return;
    try {
      await client.update(nodes, { ...node, spec: { ...node.spec, taints: plan.taints } });
    } catch (error) {
      if (plan.isAdded) this.#pace.giveBack(zone);
      throw error;
    }
  }
}

/** If all nodes are down, they are probably alive, and this controller is disconnected. */
async function cancelEvictions(checked: readonly Checked[], { client, log }: Context) {
  log.info("all nodes are not ready, cancelling evictions");
  const release = async ({ node }: Checked): Promise<void> => {
    const plan = planEvictionTaints(node, "True", "");
    if (plan) await client.update(nodes, { ...node, spec: { ...node.spec, taints: plan.taints } });
  };
  await forEachParallel(checked, workers, release, (error, { node }) =>
    log.error(error, "failed to remove taints", { node: node.metadata.name }),
  );
}

const readyOf = ({ status }: Node): string | undefined =>
  findCondition(status?.conditions, "Ready")?.status;

/** Sets the conditions of a silent node, retried on its current state. */
async function markSilent(given: Node, context: Context): Promise<Node> {
  const { client, clock, recorder } = context;
  const { name = "", uid = "" } = given.metadata;
  let node = given;
  for (let attempt = 1; ; attempt++) {
    const conditions = silentConditions(node, clock.now());
    if (!conditions) return node;
    const wasReady = readyOf(node) === "True";
    try {
      const status = { ...node.status, conditions };
      const updated = await client.updateStatus(nodes, { ...node, status });
      if (wasReady) {
        const message = `Node ${name} status is now: NodeNotReady`;
        recorder.event({ kind: "Node", name, uid }, "Normal", "NodeNotReady", message);
      }
      return updated;
    } catch (error) {
      if (attempt === maxAttempts || isNotFound(error)) throw error;
      await clock.sleep(retryMs, context.signal);
      const heartbeat = heartbeatOf(node);
      node = await client.get(nodes, { name });
      // The kubelet has reported meanwhile: the next pass observes it.
      if (heartbeatOf(node) !== heartbeat) return node;
    }
  }
}

const heartbeatOf = ({ status }: Node): string | undefined =>
  findCondition(status?.conditions, "Ready")?.lastHeartbeatTime;

/** Pods on a node that isn't ready get no traffic. */
async function markPodsNotReady(node: string, context: Context): Promise<void> {
  const { client, informers, clock, recorder } = context;
  const isReady = ({ status }: Pod): boolean =>
    findCondition(status?.conditions, "Ready")?.status === "True";
  const failures: unknown[] = [];
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
      if (!isNotFound(error)) failures.push(error);
    }
  }
  if (failures.length > 0) {
    const { log } = context;
    log.error(failures[0], "failed to mark Pods as not ready", { node, count: failures.length });
  }
}
