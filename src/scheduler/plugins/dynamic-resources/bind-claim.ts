import type { Pod } from "#/api/core/v1.ts";
import { type AllocationResult, type ResourceClaim, resourceClaims } from "#/api/resource/v1.ts";
import type { Client } from "#/client/client.ts";
import { isConflict } from "#/machinery/meta/status-error.ts";
import { isReservedFor } from "./pod-claims.ts";

const finalizer = "resource.kubernetes.io/delete-protection";
const maxTries = 5;

/**
 * Writes a claim's allocation, if there is a new one, and reserves it for a pod.
 *
 * Upstream: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (bindClaim).
 */
export async function bindClaim(
  client: Client,
  given: ResourceClaim,
  pod: Pod,
  allocation: AllocationResult | undefined,
): Promise<ResourceClaim> {
  const { namespace, name = "", uid } = given.metadata;
  const key = `${namespace ?? ""}/${name}`;
  let claim = given;
  for (let tries = 1; ; tries++) {
    if (claim.metadata.deletionTimestamp || claim.metadata.uid !== uid) {
      throw new Error(`claim ${key} got deleted in the meantime`);
    }
    if (allocation && claim.status?.allocation) {
      throw new Error(`claim ${key} got allocated elsewhere in the meantime`);
    }
    if (!allocation && !claim.status?.allocation) {
      throw new Error(`claim ${key} got deallocated elsewhere in the meantime`);
    }
    try {
      if (allocation) claim = await protect(client, claim);
      return await client.updateStatus(resourceClaims, reserved(claim, pod, allocation));
    } catch (error) {
      if (!isConflict(error) || tries === maxTries) throw error;
      claim = await client.get(resourceClaims, { namespace, name });
    }
  }
}

/** Deallocates a claim. */
export async function deallocateClaim(client: Client, claim: ResourceClaim): Promise<void> {
  const { allocation: _a, reservedFor: _r, devices: _d, ...status } = claim.status ?? {};
  await client.updateStatus(resourceClaims, { ...claim, status });
}

/** The finalizer keeps an allocated claim until its pod has ended. */
async function protect(client: Client, claim: ResourceClaim): Promise<ResourceClaim> {
  const { finalizers = [] } = claim.metadata;
  if (finalizers.includes(finalizer)) return claim;
  const metadata = { ...claim.metadata, finalizers: [...finalizers, finalizer] };
  return await client.update(resourceClaims, { ...claim, metadata });
}

function reserved(
  claim: ResourceClaim,
  { metadata: { name = "", uid = "" } }: Pod,
  allocation: AllocationResult | undefined,
): ResourceClaim {
  const { reservedFor = [] } = claim.status ?? {};
  const list = isReservedFor(claim, uid)
    ? reservedFor
    : [...reservedFor, { resource: "pods", name, uid }];
  const status = { ...claim.status, reservedFor: list, ...(allocation ? { allocation } : {}) };
  return { ...claim, status };
}
