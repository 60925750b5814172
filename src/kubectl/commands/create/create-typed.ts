/** Upstream: staging/src/k8s.io/client-go/kubernetes (its clients know the paths of built-in kinds). */

import type { Resource } from "#/api/base/resource.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { kindOf, type Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import { collectionPath } from "../../resource/selector-infos.ts";

/** The handles of the group versions of objects that `create` and `autoscale` create. */
const handles: Readonly<Record<string, () => Promise<object>>> = {
  v1: () => import("#/api/core/v1.ts"),
  "apps/v1": () => import("#/api/apps/v1.ts"),
  "autoscaling/v2": () => import("#/api/autoscaling/v2.ts"),
  "batch/v1": () => import("#/api/batch/v1.ts"),
  "networking.k8s.io/v1": () => import("#/api/networking/v1.ts"),
  "policy/v1": () => import("#/api/policy/v1.ts"),
  "rbac.authorization.k8s.io/v1": () => import("#/api/rbac/v1.ts"),
  "scheduling.k8s.io/v1": () => import("#/api/scheduling/v1.ts"),
};

/** Creates an object of a built-in kind, in a namespace if it has one; without a discovery request. */
export async function createTyped(
  context: Context,
  object: Unstructured,
  namespace: string,
  query: Readonly<Record<string, string | undefined>>,
): Promise<Unstructured> {
  const handle = await handleOf(object);
  const client = await context.cluster.client();
  const path = collectionPath(handle, handle.namespaced ? namespace : "");
  return client.request<Unstructured>({ method: "POST", path, query, body: object });
}

async function handleOf(object: Unstructured): Promise<Resource<Unstructured>> {
  const { group, version, kind } = kindOf(object);
  const all = await handles[apiVersionOf({ group, version })]?.();
  const resources = Object.values(all ?? {}) as readonly Resource<Unstructured>[];
  const found = resources.find((each) => each.kind === kind && each.version === version);
  if (!found) throw new Error(`no handle of ${apiVersionOf({ group, version })} ${kind}`);
  return found;
}
