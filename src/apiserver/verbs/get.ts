import { badRequest, notFound, statusWithoutReason } from "#/machinery/meta/status-error.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { Result } from "../registry/result.ts";
import { findRevision, noRevision, reach } from "./list.ts";
import { optionalBoolean } from "./options.ts";

/** GET of one object. Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/get.go. */
export async function get({ exchange, target }: ResourceRequest): Promise<Result> {
  const { query, info } = exchange;
  if (optionalBoolean(query, "export")) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  const { store } = target.resource;
  const version = query.get("resourceVersion") ?? "";
  if (version === "") {
    await store.freshen();
  } else if (version !== "0") {
    const revision = findRevision(version);
    if (revision === undefined) throw statusWithoutReason(noRevision(version));
    await reach(store, revision);
  }
  const object = store.findCached(info.namespace, info.name);
  if (!object) throw notFound(target.version.handle, info.name);
  return { type: "object", status: 200, object };
}
