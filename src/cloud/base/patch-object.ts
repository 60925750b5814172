/** Upstream: staging/src/k8s.io/cloud-provider/service/helpers, staging/src/k8s.io/component-helpers/node/util. */
import type { Resource } from "#/api/base/resource.ts";
import type { Client } from "#/client/client.ts";
import { refOf } from "#/client/object-key.ts";
import { createStrategicMergePatch } from "#/machinery/patch/create-strategic-merge-patch.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";

type JsonObject = Parameters<typeof createStrategicMergePatch>[1]["original"];

/** Sends the difference of two states of an object as a patch, if there is any. */
export async function patchObject<T extends object>(
  client: Client,
  resource: Resource<T>,
  change: { readonly from: T; readonly to: T },
  options: { readonly subresource?: string } = {},
): Promise<void> {
  const documents = {
    original: change.from as unknown as JsonObject,
    modified: change.to as unknown as JsonObject,
  };
  const patch = createStrategicMergePatch(schemaOf(resource), documents);
  if (Object.keys(patch).length === 0) return;
  await client.patch(resource, refOf(change.from), patch, { type: "strategic", ...options });
}
