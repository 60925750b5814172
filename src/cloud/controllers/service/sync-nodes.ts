/** Upstream: staging/src/k8s.io/cloud-provider/controllers/service/controller.go (syncNodes). */
import { type Node, nodes, type Service } from "#/api/core/v1.ts";
import { keyOf } from "#/client/object-key.ts";
import { type Controller, type ControllerContext, controller } from "#/controller/controller.ts";
import { forEachParallel } from "#/std/async/for-each-parallel.ts";
import type { RetryOptions } from "#/std/async/queue.ts";
import { asError } from "#/std/base/as-error.ts";
import type { CloudOptions } from "../../base/cloud-options.ts";
import { ImplementedElsewhereError, type LoadBalancerGoal } from "../../base/provider.ts";
import { areSameNodes, balancedNodes, mayChangeBalancers, shownNodes } from "./balanced-nodes.ts";
import type { BalancedServices } from "./balanced-services.ts";
import type { serviceMetrics } from "./service-metrics.ts";
import { needsCleanup, wantsLoadBalancer } from "./service-policy.ts";
import { warnOfNoNodes } from "./sync-load-balancer.ts";

type Context = ControllerContext<CloudOptions>;

interface NodeSync {
  readonly name: string;
  readonly state: BalancedServices;
  readonly metrics: ReturnType<typeof serviceMetrics>;
  readonly retry: RetryOptions;
  /** Adds a Service to the other queue. */
  enqueue(key: string): void;
}

/** Gives load balancers the current set of nodes when it changes. Only one node is processed at a time. */
export function nodeSyncController(sync: NodeSync): Controller<CloudOptions> {
  return controller<Node, CloudOptions>({
    name: sync.name,
    for: nodes,
    queue: "node",
    workers: 1,
    retry: sync.retry,
    predicate: mayChangeBalancers,
    reconcile: (_, context) => syncAll(sync, context),
    gone: (_, context) => syncAll(sync, context),
  });
}

async function syncAll(sync: NodeSync, context: Context): Promise<void> {
  const { clock, options, log } = context;
  const startMs = clock.monotonicMs();
  const failed = (error: unknown, service: Service): void => {
    log.error(error, "failed to update load balancer hosts", { service: keyOf(service) });
    sync.metrics.nodeSyncErrors.inc();
    sync.enqueue(keyOf(service));
  };
  const workers = options.flags["concurrent-service-syncs"];
  const work = (service: Service) => syncService(service, sync, context);
  await forEachParallel(sync.state.all(), workers, work, failed);
  sync.metrics.nodeSyncSeconds.observe((clock.monotonicMs() - startMs) / 1000);
}

async function syncService(service: Service, sync: NodeSync, context: Context): Promise<void> {
  const { options, informers } = context;
  if (!wantsLoadBalancer(service, options.provider.loadBalancers?.loadBalancerClass)) return;
  // The other queue deletes its load balancer, which an update would make again.
  if (needsCleanup(service)) return;
  const key = keyOf(service);
  const now = balancedNodes(informers.informer(nodes).store.list());
  const before = balancedNodes(sync.state.nodesOf(key));
  // A failed update is retried as a whole by the other queue.
  sync.state.setNodes(key, now);
  if (areSameNodes(before, now)) return;
  if (options.provider.loadBalancers?.endpoints?.follows(service)) {
    // Its endpoints may change at this time: the other queue makes one change after the other.
    sync.state.outdate(key);
    sync.enqueue(key);
    return;
  }
  const { clock } = context;
  const startMs = clock.monotonicMs();
  sync.metrics.syncs.inc();
  try {
    const goal = { clusterName: options.flags["cluster-name"], service, nodes: now };
    await updateNodes(goal, context);
  } finally {
    sync.metrics.updateSeconds.observe((clock.monotonicMs() - startMs) / 1000);
  }
}

async function updateNodes(goal: LoadBalancerGoal, context: Context): Promise<void> {
  const { options, recorder, signal, log } = context;
  const { loadBalancers } = options.provider;
  const { service } = goal;
  try {
    await loadBalancers?.updateNodes(goal, signal);
    if (goal.nodes.length === 0) return warnOfNoNodes(service, context);
    const text = "Updated load balancer with new hosts";
    recorder.event(service, "Normal", "UpdatedLoadBalancer", text);
  } catch (error) {
    if (error instanceof ImplementedElsewhereError) return;
    // It is a failure only if the load balancer still exists.
    const isThere = await loadBalancers?.find(goal, signal).then(
      (found) => found !== undefined,
      (cause: unknown) => {
        log.error(cause, "failed to check if load balancer exists", { service: keyOf(service) });
        return true;
      },
    );
    if (!isThere) return;
    const shown = `${shownNodes(goal.nodes)} [node names limited, total number of nodes: ${goal.nodes.length}]`;
    const text = `Error updating load balancer with new hosts ${shown}, error: ${asError(error).message}`;
    recorder.event(service, "Warning", "UpdateLoadBalancerFailed", text);
    throw error;
  }
}
