import { badRequest } from "#/machinery/meta/status-error.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { ApiObject } from "../registry/strategy.ts";
import { attributesOf } from "../verbs/write-request.ts";

/**
 * Asks admission whether a connection may be opened; it sees the options as the object.
 *
 * Upstream: apiserver/pkg/endpoints/handlers/rest.go (ConnectResource).
 */
export async function admitConnect(
  request: ResourceRequest,
  kind: string,
  options: object,
): Promise<void> {
  const { exchange, services } = request;
  if (exchange.query.has("dryRun")) throw badRequest("dryRun is not supported");
  const object = { kind, apiVersion: "v1", ...options } as ApiObject;
  // Options have no metadata, which plugins look at all the same.
  Object.defineProperty(object, "metadata", { value: {}, enumerable: false });
  const { name } = exchange.info;
  const attributes = {
    ...attributesOf(request, "CONNECT", { object, name, options: {}, dryRun: false }),
    kind: { group: "", version: "v1", kind },
  };
  await services.admission.mutate(attributes);
  await services.admission.validate(attributes);
}
