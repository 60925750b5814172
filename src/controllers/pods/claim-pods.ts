import type { Resource } from "#/api/base/resource.ts";
import { type Pod, pods } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import type { Selector } from "#/machinery/meta/labels.ts";
import { claim } from "../base/claim.ts";
import { selectedOrphans } from "../base/selected-objects.ts";
import { podsControlledBy } from "./pod-indexes.ts";

interface PodClaim {
  readonly owner: { readonly metadata: ObjectMeta };
  readonly ownerResource: Resource<unknown>;
  readonly selector: Selector;
  /** Besides the selector, which orphans may be adopted and which Pods are kept. */
  readonly filter?: (pod: Pod) => boolean;
  readonly finalizers?: readonly string[];
}

/**
 * The Pods of an owner: orphans that match its selector are adopted, its own that don't are
 * released.
 */
export async function claimPods(
  { owner, ownerResource, selector, filter = () => true, finalizers }: PodClaim,
  { client, informers }: Pick<ControllerContext, "client" | "informers">,
): Promise<Pod[]> {
  const candidates = [
    ...podsControlledBy(owner, informers),
    ...selectedOrphans(pods, owner.metadata.namespace ?? "", selector, informers),
  ].filter(filter);
  return await claim(candidates, {
    client,
    owner,
    ownerResource,
    resource: pods,
    matches: (labels) => selector.matches(labels),
    ...(finalizers ? { finalizers } : {}),
  });
}
