/** Upstream: staging/src/k8s.io/cloud-provider/controllers/service/controller.go (syncLoadBalancerIfNeeded). */
import { type LoadBalancerStatus, nodes, type Service, services } from "#/api/core/v1.ts";
import { keyOf } from "#/client/object-key.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { asError } from "#/std/base/as-error.ts";
import type { CloudOptions } from "../../base/cloud-options.ts";
import { patchObject } from "../../base/patch-object.ts";
import { ImplementedElsewhereError, type LoadBalancers } from "../../base/provider.ts";
import { balancedNodes } from "./balanced-nodes.ts";
import type { BalancedServices } from "./balanced-services.ts";
import {
  cleanupFinalizer,
  hasCleanupFinalizer,
  needsCleanup,
  wantsLoadBalancer,
} from "./service-policy.ts";

type Context = ControllerContext<CloudOptions>;

/** A failed step; its message is that of the event. */
export class SyncError extends Error {
  override readonly name = "SyncError";
}

/** The verb that a Service needs now. */
export function verbFor(service: Service, ownClass: string | undefined): "ensure" | "remove" {
  return wantsLoadBalancer(service, ownClass) && !needsCleanup(service) ? "ensure" : "remove";
}

/** Creates, updates or deletes the load balancer of a Service, and writes its status. */
export async function syncLoadBalancer(
  service: Service,
  state: BalancedServices,
  context: Context,
): Promise<"ensure" | "remove"> {
  const { loadBalancers } = context.options.provider;
  if (!loadBalancers) return "ensure";
  const verb = verbFor(service, loadBalancers.loadBalancerClass);
  const status =
    verb === "remove"
      ? await remove(service, loadBalancers, context)
      : await ensure(service, loadBalancers, { state, context });
  if (status === undefined) return verb;
  await step("failed to update load balancer status", async () => {
    await patchStatus(service, status, context).catch((error: unknown) => {
      // It has disappeared after its finalizer was removed.
      if (!isNotFound(error)) throw error;
    });
  });
  return verb;
}

async function remove(
  service: Service,
  loadBalancers: LoadBalancers,
  { options, recorder, signal, client }: Context,
): Promise<LoadBalancerStatus> {
  const goal = { clusterName: options.flags["cluster-name"], service, nodes: [] };
  const found = await step("failed to check if load balancer exists before cleanup", () =>
    loadBalancers.find(goal, signal),
  );
  if (found) {
    recorder.event(service, "Normal", "DeletingLoadBalancer", "Deleting load balancer");
    await step("failed to delete load balancer", () =>
      loadBalancers.remove(goal, signal).catch((error: unknown) => {
        if (!(error instanceof ImplementedElsewhereError)) throw error;
      }),
    );
  }
  await step("failed to remove load balancer cleanup finalizer", () =>
    setFinalizer(service, false, client),
  );
  recorder.event(service, "Normal", "DeletedLoadBalancer", "Deleted load balancer");
  return {};
}

/** Undefined if another controller balances the Service. */
async function ensure(
  service: Service,
  loadBalancers: LoadBalancers,
  { state, context }: { readonly state: BalancedServices; readonly context: Context },
): Promise<LoadBalancerStatus | undefined> {
  const { options, recorder, informers, signal, client } = context;
  const targets = balancedNodes(informers.informer(nodes).store.list());
  // Before anything is awaited: a change of nodes must not find a Service without its nodes, and update it too.
  state.setNodes(keyOf(service), targets);
  recorder.event(service, "Normal", "EnsuringLoadBalancer", "Ensuring load balancer");
  await step("failed to add load balancer cleanup finalizer", () =>
    setFinalizer(service, true, client),
  );
  if (targets.length === 0) warnOfNoNodes(service, context);
  const goal = { clusterName: options.flags["cluster-name"], service, nodes: targets };
  try {
    const status = await loadBalancers.ensure(goal, signal);
    recorder.event(service, "Normal", "EnsuredLoadBalancer", "Ensured load balancer");
    return status;
  } catch (error) {
    if (error instanceof ImplementedElsewhereError) return undefined;
    throw failed("failed to ensure load balancer", error);
  }
}

export function warnOfNoNodes(service: Service, { recorder }: Context): void {
  const text = "There are no available nodes for LoadBalancer";
  recorder.event(service, "Warning", "UnAvailableLoadBalancer", text);
}

async function setFinalizer(
  service: Service,
  has: boolean,
  client: Context["client"],
): Promise<void> {
  if (hasCleanupFinalizer(service) === has) return;
  const others = (service.metadata.finalizers ?? []).filter((one) => one !== cleanupFinalizer);
  const finalizers = has ? [...others, cleanupFinalizer] : others;
  const to = { ...service, metadata: { ...service.metadata, finalizers } };
  await patchObject(client, services, { from: service, to }, { subresource: "status" });
}

async function patchStatus(
  service: Service,
  loadBalancer: LoadBalancerStatus,
  { client }: Context,
): Promise<void> {
  const before = service.status?.loadBalancer?.ingress ?? [];
  if (deepEqual(before, loadBalancer.ingress ?? [])) return;
  const to = { ...service, status: { ...service.status, loadBalancer } };
  await patchObject(client, services, { from: service, to }, { subresource: "status" });
}

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failed(what, error);
  }
}

const failed = (what: string, error: unknown): SyncError =>
  new SyncError(`${what}: ${asError(error).message}`, { cause: error });
