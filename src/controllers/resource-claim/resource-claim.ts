/** Upstream: pkg/controller/resourceclaim/controller.go. */
import { type Pod, pods } from "#/api/core/v1.ts";
import { type ResourceClaim, resourceClaims, resourceClaimTemplates } from "#/api/resource/v1.ts";
import { refOf } from "#/client/object-key.ts";
import {
  type Controller,
  type ControllerContext,
  controller,
  watch,
} from "#/controller/controller.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { controlledObjects } from "../base/selected-objects.ts";
import { isFinished } from "../pods/pod-state.ts";
import { claimForPod, claimNameOf, isForPod } from "./pod-claims.ts";

type Context = ControllerContext<ManagerOptions>;

const name = "resourceclaim-controller";
const eventSource = "resource_claim";
const finalizer = "resource.kubernetes.io/delete-protection";
const fieldManager = "ResourceClaimController";
/** Limit of consumers of a claim; the API's. */
const maxConsumers = 256;

const podClaims = controller<Pod, ManagerOptions>({
  name,
  eventSource,
  for: pods,
  queue: "resource_claim_pods",
  reads: [resourceClaims, resourceClaimTemplates],
  workers: ({ flags }) => flags["concurrent-resourceclaim-syncs"],
  predicate: (now) => (now?.spec?.resourceClaims ?? []).length > 0,
  reconcile: syncPod,
});

const claims = controller<ResourceClaim, ManagerOptions>({
  name,
  for: resourceClaims,
  queue: "resource_claim",
  watches: [watch(pods, claimsOfPod, { predicate: (now) => !now || isDone(now) })],
  workers: ({ flags }) => flags["concurrent-resourceclaim-syncs"],
  reconcile: syncClaim,
});

/** Creates claims from templates, reserves claims for Pods, and releases unused ones. */
export const resourceClaimController: Controller<ManagerOptions> = {
  name,
  eventSource,
  async run(context) {
    await Promise.all([podClaims.run(context), claims.run(context)]);
  },
};

function claimsOfPod(pod: Pod): string[] {
  return (pod.spec?.resourceClaims ?? []).flatMap((claim) => {
    const found = claimNameOf(pod, claim);
    return found ? [`${pod.metadata.namespace}/${found}`] : [];
  });
}

/** Whether a Pod will not run any more. */
const isDone = (pod: Pod): boolean =>
  isFinished(pod) || (pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName);

async function syncPod(pod: Pod, context: Context): Promise<void> {
  if (pod.metadata.deletionTimestamp) return;
  const { client, informers, recorder } = context;
  const made = new Map<string, string>();
  for (const podClaim of pod.spec?.resourceClaims ?? []) {
    try {
      const claim = await ensureClaim(pod, podClaim, context);
      if (claim) made.set(podClaim.name, claim);
    } catch (error) {
      const text = `PodResourceClaim ${podClaim.name}: ${(error as Error).message}`;
      recorder.event(pod, "Warning", "FailedResourceClaimCreation", text);
      throw error;
    }
  }
  if (made.size > 0) await recordClaims(pod, made, context);
  if (!pod.spec?.nodeName) return;
  // Another client than the scheduler chose the node, so that the claims are not reserved.
  for (const podClaim of pod.spec.resourceClaims ?? []) {
    const claimName = made.get(podClaim.name) ?? claimNameOf(pod, podClaim);
    const claim =
      claimName && informers.informer(resourceClaims).store.get(pod.metadata.namespace, claimName);
    if (!claim) continue;
    const { allocation, reservedFor = [] } = claim.status ?? {};
    const isReserved = reservedFor.some(({ uid }) => uid === pod.metadata.uid);
    if (!allocation || isReserved || reservedFor.length >= maxConsumers) continue;
    const { name: podName = "", uid = "" } = pod.metadata;
    const consumer = { resource: "pods", name: podName, uid };
    const status = { ...claim.status, reservedFor: [...reservedFor, consumer] };
    await client.updateStatus(resourceClaims, { ...claim, status });
  }
}

type PodClaim = NonNullable<NonNullable<Pod["spec"]>["resourceClaims"]>[number];

/**
 * The name of the claim that was created or found for a Pod's template; undefined if nothing
 * changed.
 */
async function ensureClaim(
  pod: Pod,
  podClaim: PodClaim,
  { client, informers }: Context,
): Promise<string | undefined> {
  const templateName = podClaim.resourceClaimTemplateName;
  if (templateName === undefined) return undefined;
  const { namespace = "" } = pod.metadata;
  const { store } = informers.informer(resourceClaims);
  const known = claimNameOf(pod, podClaim);
  if (known === "") return undefined;
  const there = known === undefined ? undefined : store.get(namespace, known);
  if (there && isForPod(there, pod)) return undefined;
  const found = controlledObjects(resourceClaims, pod, informers).find(
    (claim) => isForPod(claim, pod, podClaim.name) && !claim.metadata.deletionTimestamp,
  );
  if (found) return found.metadata.name;
  const template = informers.informer(resourceClaimTemplates).store.get(namespace, templateName);
  if (!template) {
    throw new Error(
      `resource claim template "${templateName}": resourceclaimtemplate.resource.k8s.io "${templateName}" not found`,
    );
  }
  const made = await client.create(resourceClaims, claimForPod(pod, podClaim.name, template));
  return made.metadata.name;
}

async function recordClaims(
  pod: Pod,
  made: ReadonlyMap<string, string>,
  { client }: Context,
): Promise<void> {
  const statuses = new Map(
    (pod.status?.resourceClaimStatuses ?? []).flatMap((one) =>
      one.resourceClaimName === undefined ? [] : [[one.name, one.resourceClaimName] as const],
    ),
  );
  for (const [claim, resourceClaimName] of made) statuses.set(claim, resourceClaimName);
  const resourceClaimStatuses = [...statuses]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([claim, resourceClaimName]) => ({ name: claim, resourceClaimName }));
  const applied = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: refOf(pod),
    status: { resourceClaimStatuses },
  };
  const options = { type: "apply", fieldManager, force: true, subresource: "status" } as const;
  await client.patch(pods, refOf(pod), applied, options);
}

async function syncClaim(claim: ResourceClaim, context: Context): Promise<void> {
  const { client } = context;
  const { reservedFor = [] } = claim.status ?? {};
  const remaining = [];
  for (const consumer of reservedFor) {
    const isPod = !consumer.apiGroup && consumer.resource === "pods";
    if (!isPod || (await mayRun(claim, consumer, context))) remaining.push(consumer);
  }
  const isOurs = (claim.metadata.finalizers ?? []).includes(finalizer);
  const isFree = remaining.length === 0;
  let current = claim;
  const frees = isFree && isOurs && (reservedFor.length > 0 || claim.metadata.deletionTimestamp);
  if (remaining.length < reservedFor.length || (frees && claim.status?.allocation)) {
    const { allocation, reservedFor: _, ...rest } = claim.status ?? {};
    const status = {
      ...rest,
      ...(allocation && !frees ? { allocation } : {}),
      ...(isFree ? {} : { reservedFor: remaining }),
    };
    current = await client.updateStatus(resourceClaims, { ...claim, status });
  }
  if (frees) {
    const finalizers = (current.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    const metadata = { ...current.metadata, finalizers };
    await client.update(resourceClaims, { ...current, metadata });
  }
  if (isFree) await removeUnused(claim, context);
}

async function mayRun(
  claim: ResourceClaim,
  consumer: { readonly name: string; readonly uid: string },
  { client, informers }: Context,
): Promise<boolean> {
  const ref = { name: consumer.name, namespace: claim.metadata.namespace };
  const known = informers.informer(pods).store.get(ref.namespace, ref.name);
  if (known) return known.metadata.uid === consumer.uid && !isDone(known);
  const fresh = await client.get(pods, ref).catch(ignoreNotFound);
  return fresh?.metadata.uid === consumer.uid;
}

/**
 * A claim that was made for a Pod is deleted when the Pod doesn't need it, even if the Pod still
 * exists.
 */
async function removeUnused(claim: ResourceClaim, { client, informers }: Context): Promise<void> {
  const { ownerReferences = [], namespace, deletionTimestamp } = claim.metadata;
  const owner = ownerReferences.find(
    (one) => one.controller && one.apiVersion === "v1" && one.kind === "Pod",
  );
  const pod = owner && informers.informer(pods).store.get(namespace, owner.name);
  if (!pod || deletionTimestamp) return;
  if (pod.metadata.uid === owner.uid && !isDone(pod)) return;
  await client.delete(resourceClaims, refOf(claim)).catch(ignoreNotFound);
}
