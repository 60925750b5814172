import { badRequest } from "#/machinery/meta/status-error.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { ApiObject } from "../registry/strategy.ts";
import { attributesOf } from "../verbs/write-request.ts";

/**
 * Runs admission for a connection, with the options as the object.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/rest.go (ConnectResource).
 */
export async function admitConnect(
  request: ResourceRequest,
  kind: string,
  options: object,
): Promise<void> {
  const { exchange, services } = request;
  if (exchange.query.has("dryRun")) throw badRequest("dryRun is not supported");
  const object = { kind, apiVersion: "v1", ...options } as ApiObject;
  // Options have no metadata, which plugins read nevertheless.
  Object.defineProperty(object, "metadata", { value: {}, enumerable: false });
  const { name } = exchange.info;
  const attributes = {
    ...attributesOf(request, "CONNECT", { object, name, options: {}, dryRun: false }),
    kind: { group: "", version: "v1", kind },
  };
  await services.admission.mutate(attributes);
  await services.admission.validate(attributes);
}
