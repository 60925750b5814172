import { type Service, services } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import { NotSyncedError } from "#/client/informers/informers.ts";
import { allSynced } from "#/controller/all-synced.ts";
import type { ControllerContext, EnqueueLater } from "#/controller/controller.ts";
import { handlerOf } from "#/controller/watch.ts";
import { aborted } from "#/std/async/aborted.ts";
import { asError } from "#/std/base/as-error.ts";
import type { CloudOptions } from "../../base/cloud-options.ts";
import type { EndpointTargets, LoadBalancerGoal } from "../../base/provider.ts";
import type { BalancedServices } from "./balanced-services.ts";
import { mayChangeTargets, serviceKeyOf } from "./endpoint-changes.ts";
import { wantsLoadBalancer } from "./service-policy.ts";

type Context = ControllerContext<CloudOptions>;

/** Delay (ms) from a change of endpoints to the call of the cloud: Pods of a rollout change together. */
export const endpointBatchMs = 500;

/**
 * Adds Services to the queue whose endpoints change, until the signal aborts. EndpointSlices are watched from the first
 * Service on whose load balancer depends on them: few clusters have one.
 */
export async function followEndpoints(
  context: Context,
  state: BalancedServices,
  enqueue: EnqueueLater,
): Promise<void> {
  const { informers, signal, options } = context;
  const { endpoints, loadBalancerClass } = options.provider.loadBalancers ?? {};
  if (!endpoints) return;
  const own = informers.informer(services);
  const depends = (service: Service) =>
    wantsLoadBalancer(service, loadBalancerClass) && endpoints.follows(service);
  if (!(await allSynced([own], signal)) || !(await someService(context, depends))) return;
  const slices = informers.informer(endpointSlices);
  if (!(await allSynced([slices], signal))) return;
  const changed = (now: EndpointSlice | undefined, old: EndpointSlice | undefined): void => {
    if (!mayChangeTargets(now, old)) return;
    const keys = [now, old].flatMap((slice) => (slice ? serviceKeyOf(slice) : []));
    for (const key of new Set(keys)) {
      const service = own.store.getByKey(key);
      if (service && depends(service) && state.noteEndpoints(key)) enqueue(key, endpointBatchMs);
    }
  };
  using _subscription = slices.subscribe(handlerOf(changed));
  await aborted(signal);
}

/** Waits for a Service with a property; false if the signal aborts before. */
async function someService(
  { informers, signal }: Context,
  has: (service: Service) => boolean,
): Promise<boolean> {
  const found = Promise.withResolvers<boolean>();
  const check = (service: Service | undefined): void => {
    if (service && has(service)) found.resolve(true);
  };
  using _subscription = informers.informer(services).subscribe(handlerOf(check));
  return await Promise.race([found.promise, aborted(signal).then(() => false)]);
}

/** Throws NotSyncedError until the endpoints of Services are known. */
export function requireEndpoints({ informers }: Context): void {
  const informer = informers.informer(endpointSlices);
  if (!informer.hasSynced) throw new NotSyncedError(endpointSlices, informer.synced);
}

/** Gives a load balancer its current endpoints. A retry compares the whole load balancer. */
export async function updateEndpoints(
  endpoints: EndpointTargets,
  goal: LoadBalancerGoal,
  { recorder, signal }: Context,
): Promise<void> {
  try {
    await endpoints.update(goal, signal);
  } catch (error) {
    const text = `Error updating load balancer with new endpoints: ${asError(error).message}`;
    recorder.event(goal.service, "Warning", "UpdateLoadBalancerFailed", text);
    throw error;
  }
}
