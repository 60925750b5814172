/** Upstream: pkg/controller/disruption/disruption.go (getExpectedScale). */

import { deployments, replicaSets, statefulSets } from "#/api/apps/v1.ts";
import type { Scale } from "#/api/autoscaling/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { type Pod, replicationControllers } from "#/api/core/v1.ts";
import type { ObjectMeta, OwnerReference } from "#/api/meta/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { parseApiVersion } from "#/machinery/meta/api-version.ts";
import { findControllerReference } from "#/machinery/meta/owner-references.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";

type Context = Pick<ControllerContext, "client" | "informers" | "catalog">;

interface Scaled {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly replicas?: number };
}

interface Found {
  readonly uid: string;
  readonly replicas: number;
}

/** The sum of the sizes of these Pods' owners, and the Pods without an owner. */
export async function expectedScale(
  pods: readonly Pod[],
  context: Context,
): Promise<{ expected: number; unmanaged: readonly string[] }> {
  const scales = new Map<string, number>();
  const unmanaged: string[] = [];
  const seen = new Set<string>();
  for (const pod of pods) {
    const reference = findControllerReference(pod);
    if (!reference) {
      unmanaged.push(pod.metadata.name ?? "");
      continue;
    }
    if (seen.has(reference.uid)) continue;
    seen.add(reference.uid);
    const found = await findScale(reference, pod.metadata.namespace ?? "", context);
    if (!found) throw new Error(`found no controllers for pod "${pod.metadata.name}"`);
    scales.set(found.uid, found.replicas);
  }
  return { expected: [...scales.values()].reduce((a, b) => a + b, 0), unmanaged };
}

const known: readonly Resource[] = [replicationControllers, replicaSets, statefulSets];

async function findScale(
  reference: OwnerReference,
  namespace: string,
  context: Context,
): Promise<Found | undefined> {
  const { group } = parseApiVersion(reference.apiVersion);
  const resource = known.find((one) => one.kind === reference.kind && one.group === group);
  if (!resource) return await scaleOf(reference, namespace, context);
  const owner = inStore(resource, reference, namespace, context);
  if (!owner) return undefined;
  const above = findControllerReference(owner);
  if (resource !== replicaSets || above?.kind !== "Deployment") return foundOf(owner);
  const deployment = inStore(deployments, above, namespace, context);
  return deployment && foundOf(deployment);
}

const foundOf = ({ metadata, spec }: Scaled): Found => ({
  uid: metadata.uid ?? "",
  replicas: spec?.replicas ?? 1,
});

function inStore(
  resource: Resource,
  { name, uid }: OwnerReference,
  namespace: string,
  { informers }: Context,
): Scaled | undefined {
  const object = informers.informer(resource as Resource<Scaled>).store.get(namespace, name);
  return object?.metadata.uid === uid ? object : undefined;
}

/** The size of an owner of another kind, from its scale subresource. */
async function scaleOf(
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
  { client, catalog }: Context,
): Promise<Found | undefined> {
  const { group } = parseApiVersion(apiVersion);
  const resource = await catalog.findKind({ apiVersion, kind });
  if (!resource) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`);
  if (!resource.subresources.some((one) => one.name === "scale")) {
    const full = group === "" ? resource.name : `${resource.name}.${group}`;
    throw new Error(`${full} does not implement the scale subresource`);
  }
  const scale = await client
    .getSubresource<Scale>(resource, { name, namespace }, "scale")
    .catch(ignoreNotFound);
  return scale?.metadata.uid === uid ? { uid, replicas: scale?.spec?.replicas ?? 0 } : undefined;
}
