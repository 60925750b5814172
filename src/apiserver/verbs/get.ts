import { badRequest, notFound, unexplained } from "#/machinery/status-error.ts";
import { findRevision, noRevision, reach } from "./list.ts";
import { optionalBoolean } from "./options.ts";
import type { Result } from "./result.ts";
import type { ResourceRequest } from "./write-request.ts";

/** GET of one object. Upstream: apiserver/pkg/endpoints/handlers/get.go. */
export async function get({ exchange, target }: ResourceRequest): Promise<Result> {
  const { query, info } = exchange;
  if (optionalBoolean(query, "export")) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  const { store } = target.resource;
  const version = query.get("resourceVersion") ?? "";
  if (version === "") {
    const pending = store.freshen();
    if (pending !== true) await pending;
  } else if (version !== "0") {
    const revision = findRevision(version);
    if (revision === undefined) throw unexplained(noRevision(version));
    await reach(store, revision);
  }
  const object = store.findCached(info.namespace, info.name);
  if (!object) throw notFound(target.version.handle, info.name);
  return { type: "object", status: 200, object };
}
