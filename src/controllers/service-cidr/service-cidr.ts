/** Upstream: pkg/controller/servicecidrs/servicecidrs_controller.go. */
import {
  type IPAddress,
  ipAddresses,
  type ServiceCIDR,
  serviceCIDRs,
} from "#/api/networking/v1.ts";
import { keyOf, refOf } from "#/client/object-key.ts";
import {
  type ControllerContext,
  controller,
  type ReconcileResult,
  watch,
} from "#/controller/controller.ts";
import { findCondition, withCondition } from "#/machinery/meta/conditions.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { isOverlapping, mayDelete, networksWith } from "./may-delete.ts";

type Context = ControllerContext<ManagerOptions>;

const finalizer = "networking.k8s.io/service-cidr-finalizer";
/** Time (ms) in which servers may still allocate addresses of a network that is being deleted. */
const graceMs = 10_000;
const managedByLabel = "ipaddress.kubernetes.io/managed-by";
const allocator = "ipallocator.k8s.io";

const terminating = {
  type: "Ready",
  status: "False",
  reason: "Terminating",
  message:
    "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
} as const;
const ready = {
  type: "Ready",
  status: "True",
  reason: "",
  message: "Kubernetes Service CIDR is ready",
} as const;

/** Keeps ServiceCIDRs as long as they have addresses in use that no other one contains. */
export const serviceCidrController = controller<ServiceCIDR, ManagerOptions>({
  name: "service-cidr-controller",
  for: serviceCIDRs,
  queue: "ipaddresses",
  watches: [
    // A new or deleted one may affect others that overlap.
    watch(serviceCIDRs, (cidr, { informers }) =>
      informers
        .informer(serviceCIDRs)
        .store.list()
        .filter((other) => isOverlapping(cidr, other))
        .map(keyOf),
    ),
    watch(ipAddresses, networksOf, { predicate: (now, old) => !now || !old }),
  ],
  reconcile,
});

const isAllocated = ({ metadata }: IPAddress): boolean =>
  metadata.labels?.[managedByLabel] === allocator;

function networksOf(address: IPAddress, { informers }: Context): string[] {
  if (!isAllocated(address)) return [];
  const all = informers.informer(serviceCIDRs).store.list();
  return networksWith(keyOf(address), all).map(keyOf);
}

async function reconcile(cidr: ServiceCIDR, context: Context): Promise<ReconcileResult> {
  const { client, informers, clock } = context;
  const { deletionTimestamp, finalizers = [] } = cidr.metadata;
  const isHeld = finalizers.includes(finalizer);
  const patch = (metadata: object) =>
    client
      .patch(serviceCIDRs, refOf(cidr), { metadata } as object, { type: "strategic" })
      .catch(ignoreNotFound);
  if (deletionTimestamp === undefined) {
    if (!isHeld) await patch({ finalizers: [finalizer] });
    await setCondition(cidr, ready, context);
    return undefined;
  }
  const addresses = informers.informer(ipAddresses).store.list().filter(isAllocated).map(keyOf);
  if (!mayDelete(cidr, informers.informer(serviceCIDRs).store.list(), addresses)) {
    await setCondition(cidr, terminating, context);
    return undefined;
  }
  const leftMs = parseTime(deletionTimestamp) + graceMs - clock.now();
  if (leftMs > 0) return { afterMs: leftMs };
  if (isHeld) await patch({ "$deleteFromPrimitiveList/finalizers": [finalizer] });
  return undefined;
}

async function setCondition(
  given: ServiceCIDR,
  condition: typeof ready | typeof terminating,
  { client, informers, clock }: Context,
): Promise<void> {
  // The finalizer may just have been written.
  const cidr = informers.informer(serviceCIDRs).store.get("", keyOf(given)) ?? given;
  const now = findCondition(cidr.status?.conditions, condition.type);
  const { status, reason, message } = condition;
  if (now?.status === status && (now.reason ?? "") === reason && now.message === message) return;
  const conditions = [...withCondition(cidr.status?.conditions, condition, clock.now())];
  await client.updateStatus(serviceCIDRs, { ...cidr, status: { ...cidr.status, conditions } });
}
