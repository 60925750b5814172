import { deployments, replicaSets } from "#/api/apps/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { cronJobs, jobs } from "#/api/batch/v1.ts";
import type { Pod } from "#/api/core/v1.ts";
import { findControllerReference } from "#/machinery/meta/owner-references.ts";
import type { AnyObject } from "../base/any-object.ts";
import type { View } from "../base/view.ts";

/** The object whose template a Pod is made of, as kubectl names it: `deployment/web`; the Pod itself if it has none. */
export function workloadOf(pod: Pod, view: View): string {
  return ownerName(pod, view) ?? `pod/${pod.metadata.name}`;
}

function ownerName({ metadata }: AnyObject, view: View): string | undefined {
  const owner = findControllerReference({ metadata });
  if (!owner) return undefined;
  const ref = { name: owner.name, namespace: metadata.namespace };
  const parent = [replicaSets, jobs]
    .filter(({ kind }) => kind === owner.kind)
    .map((resource) => view.get(resource as Resource<AnyObject>, ref))
    .find((object) => object !== undefined);
  const above = parent && findControllerReference(parent);
  if (above && [deployments.kind, cronJobs.kind].includes(above.kind)) {
    return `${above.kind.toLowerCase()}/${above.name}`;
  }
  return `${owner.kind.toLowerCase()}/${owner.name}`;
}

/** Whether a Pod is made by another object, which would replace it. */
export const isManaged = ({ metadata }: Pod): boolean =>
  findControllerReference({ metadata }) !== undefined;
