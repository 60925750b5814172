/** Upstream: staging/src/k8s.io/cloud-provider/controllers/service/controller.go. */
import { nodes, type Service, services } from "#/api/core/v1.ts";
import { keyOf } from "#/client/object-key.ts";
import {
  type Controller,
  type ControllerContext,
  controller,
  type EnqueueLater,
  type ReconcileResult,
} from "#/controller/controller.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { CloudOptions } from "../../base/cloud-options.ts";
import { RetryAfterError } from "../../base/provider.ts";
import { balancedNodes } from "./balanced-nodes.ts";
import { BalancedServices } from "./balanced-services.ts";
import { serviceMetrics } from "./service-metrics.ts";
import { needsCleanup, needsUpdate, wantsLoadBalancer } from "./service-policy.ts";
import {
  endpointBatchMs,
  followEndpoints,
  requireEndpoints,
  updateEndpoints,
} from "./sync-endpoints.ts";
import { SyncError, syncLoadBalancer, verbFor } from "./sync-load-balancer.ts";
import { nodeSyncController } from "./sync-nodes.ts";

type Context = ControllerContext<CloudOptions>;

const name = "service-lb-controller";
const eventSource = "service-controller";
/** Delays (ms) between attempts of a Service, as upstream's. */
const retry = {
  backoff: exponentialBackoff({ baseMs: 5_000, maxMs: 300_000 }),
  rate: "unlimited",
} as const;

/** Keeps a load balancer of the cloud for each Service of type LoadBalancer. */
export const serviceLbController: Controller<CloudOptions> = {
  name,
  eventSource,
  async run(context) {
    const { loadBalancers } = context.options.provider;
    if (!loadBalancers) {
      context.log.info("skipped: the cloud provider does not support external load balancers");
      return;
    }
    const state = new BalancedServices();
    const metrics = serviceMetrics(context.metrics);
    let opened: EnqueueLater = () => undefined;
    const enqueue: EnqueueLater = (key, afterMs) => opened(key, afterMs);
    const syncs = serviceSync({ state, enqueue }, loadBalancers.loadBalancerClass, (own) => {
      opened = own;
    });
    const nodeSyncs = nodeSyncController({
      name,
      state,
      metrics,
      retry,
      enqueue: (key) => enqueue(key),
    });
    const following = followEndpoints(context, state, enqueue);
    await Promise.all([syncs.run(context), nodeSyncs.run(context), following]);
  },
};

interface ServiceSync {
  readonly state: BalancedServices;
  readonly enqueue: EnqueueLater;
}

function serviceSync(
  sync: ServiceSync,
  ownClass: string | undefined,
  opened: (enqueue: EnqueueLater) => void,
): Controller<CloudOptions> {
  return controller<Service, CloudOptions>({
    name,
    eventSource,
    for: services,
    queue: "service",
    retry,
    workers: ({ flags }) => flags["concurrent-service-syncs"],
    // A deletion needs no work: the finalizer has turned it into a change before.
    predicate(now, old) {
      if (now === undefined) return false;
      if (needsCleanup(now)) return true;
      return old ? needsUpdate(old, now, ownClass) : wantsLoadBalancer(now, ownClass);
    },
    start: (_, enqueue) => opened(enqueue),
    reconcile: (service, context) => retried(context, () => syncOne(service, sync, context)),
    gone: ({ name: of, namespace }, context) =>
      retried(context, () => removeGone(`${namespace}/${of}`, sync.state, context)),
  });
}

/** An error that says when to retry is no failure of the queue. */
async function retried({ log }: Context, work: () => Promise<void>): Promise<ReconcileResult> {
  try {
    await work();
  } catch (error) {
    const after = retryAfter(error);
    if (after === undefined) throw error;
    log.info("error processing service, retrying later", { err: String(error), afterMs: after });
    return { afterMs: after };
  }
}

function retryAfter(error: unknown): number | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof RetryAfterError) return at.afterMs;
  }
  return undefined;
}

async function syncOne(service: Service, sync: ServiceSync, context: Context): Promise<void> {
  const { state, enqueue } = sync;
  const key = keyOf(service);
  const before = state.find(key);
  // Deleted and created again in a short time: possible only without finalizer.
  if (before && before.metadata.uid !== service.metadata.uid) {
    await removeUnheld(before, context);
  }
  if (followsEndpoints(service, context)) requireEndpoints(context);
  state.set(key, service);
  const ensured = state.begin(key);
  try {
    const isDone = ensured !== undefined && (await syncEndpoints(service, ensured, context));
    const verb = isDone ? "ensure" : await syncLoadBalancer(service, state, context);
    if (verb === "remove") state.delete(key);
    if (state.finish(key, service)) enqueue(key, endpointBatchMs);
  } catch (error) {
    if (error instanceof SyncError) {
      const text = `Error syncing load balancer: ${error.message}`;
      context.recorder.event(service, "Warning", "SyncLoadBalancerFailed", text);
    }
    throw error;
  }
}

function followsEndpoints(service: Service, { options }: Context): boolean {
  const { endpoints, loadBalancerClass } = options.provider.loadBalancers ?? {};
  return verbFor(service, loadBalancerClass) === "ensure" && (endpoints?.follows(service) ?? false);
}

/** Changes only endpoints if the Service is as its load balancer was made; else returns false. */
async function syncEndpoints(
  service: Service,
  ensured: Service,
  context: Context,
): Promise<boolean> {
  const { informers, options } = context;
  const { endpoints, loadBalancerClass } = options.provider.loadBalancers ?? {};
  if (!endpoints || !followsEndpoints(service, context)) return false;
  if (needsUpdate(ensured, service, loadBalancerClass)) return false;
  const targets = balancedNodes(informers.informer(nodes).store.list());
  const goal = { clusterName: options.flags["cluster-name"], service, nodes: targets };
  await updateEndpoints(endpoints, goal, context);
  return true;
}

/** A Service that disappeared without its finalizer being honoured. */
async function removeGone(key: string, state: BalancedServices, context: Context): Promise<void> {
  const before = state.find(key);
  if (!before) return;
  await removeUnheld(before, context);
  state.delete(key);
}

async function removeUnheld(
  service: Service,
  { options, recorder, signal }: Context,
): Promise<void> {
  const { loadBalancers } = options.provider;
  if (!loadBalancers || !wantsLoadBalancer(service, loadBalancers.loadBalancerClass)) return;
  recorder.event(service, "Normal", "DeletingLoadBalancer", "Deleting load balancer");
  const goal = { clusterName: options.flags["cluster-name"], service, nodes: [] };
  try {
    await loadBalancers.remove(goal, signal);
  } catch (error) {
    const text = `Error deleting load balancer: ${(error as Error).message}`;
    recorder.event(service, "Warning", "DeleteLoadBalancerFailed", text);
    throw error;
  }
  recorder.event(service, "Normal", "DeletedLoadBalancer", "Deleted load balancer");
}
