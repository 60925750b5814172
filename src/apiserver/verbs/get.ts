import { badRequest, notFound } from "#/machinery/status-error.ts";
import { parseResourceVersion, reach } from "./list.ts";
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
    await reach(store, parseResourceVersion(version));
  }
  const object = store.findCached(info.namespace, info.name);
  if (!object) throw notFound(target.version.handle, info.name);
  return { type: "object", status: 200, object };
}
