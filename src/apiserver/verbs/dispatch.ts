import { methodNotAllowed, notFound } from "#/machinery/meta/status-error.ts";
import { table } from "#/std/base/table.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { Result } from "../registry/result.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import type { Declaration, ViewStrategy } from "../registry/strategy.ts";
import { viewDeclaration } from "../registry/view.ts";
import { create } from "./create.ts";
import { remove, removeCollection } from "./delete.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { parseListOptions, watchDefaults } from "./options.ts";
import { patch } from "./patch.ts";
import { scaleActions } from "./scale.ts";
import { selectInPace } from "./selection.ts";
import { update } from "./update.ts";
import { openWatch } from "./watch.ts";
import { watchSignal } from "./watch-signal.ts";
import { addWarning } from "./write-request.ts";

type Verb = (request: ResourceRequest) => Promise<Result>;

const resourceVerbs: Readonly<Record<string, Verb>> = table({
  get,
  list: listOrWatch,
  watch: listOrWatch,
  create,
  update: (request) => update(request),
  patch: (request) => patch(request),
  delete: remove,
  deletecollection: removeCollection,
});

/** The verb of a request for a resource, ready to run; undefined if the resource has no such subresource. */
export function findVerb({
  exchange,
  target,
}: Pick<ResourceRequest, "exchange" | "target">): Verb | undefined {
  const { subresource, verb } = exchange.info;
  const { declaration } = target.resource;
  const own = declaration.verbs ?? resourceVerbs;
  const verbs = subresource === "" ? own : subresourceVerbs(target, subresource);
  if (!verbs && !declaration.isRouted) {
    addWarning(exchange, target.version.deprecation ?? "");
    throw notFound(target.version.handle, exchange.info.name);
  }
  if (!verbs) return undefined;
  const run = verbs[verb] ?? verbs["connect"];
  const reads = verb === "get" || verb === "list" || verb === "watch";
  if (reads && exchange.method !== "GET" && declaration.isRouted && !verbs["connect"]) {
    throw methodNotAllowed();
  }
  const allowed = verbs["connect"] !== undefined || offers(target, subresource, verb);
  if (!run || !allowed) throw methodNotAllowed();
  return (request) => {
    addWarning(exchange, target.version.deprecation ?? "");
    return run(request);
  };
}

/** Whether discovery lists the verb; actions that it does not list check themselves. */
function offers({ version: { handle } }: VersionedResource, name: string, verb: string): boolean {
  if (name === "") return handle.verbs.includes(verb);
  const subresource = handle.subresources.find((offered) => offered.name === name);
  return subresource?.verbs.includes(verb) ?? true;
}

function subresourceVerbs(
  { resource: { declaration }, version }: VersionedResource,
  name: string,
): Readonly<Record<string, Verb>> | undefined {
  const action = declaration.actions?.[name];
  if (action) return action;
  const offered = version.handle.subresources.some((subresource) => subresource.name === name);
  if (name === "scale" && declaration.scale) return offered ? scaleActions : undefined;
  const status = offered ? statusView(declaration) : undefined;
  const view = name === "status" ? status : declaration.views?.[name];
  if (!view) return undefined;
  const hooks = viewDeclaration(declaration, view);
  return {
    get,
    update: (request) => update(request, hooks),
    patch: (request) => patch(request, hooks),
  };
}

const usualStatus: ViewStrategy = {};

function statusView({ status }: Declaration): ViewStrategy | undefined {
  return status === true ? usualStatus : status;
}

async function listOrWatch(request: ResourceRequest): Promise<Result> {
  const { exchange, target, services } = request;
  const asked = parseListOptions(exchange.query);
  const isWatch = asked.watch || exchange.info.verb === "watch";
  const options = isWatch ? { ...asked, ...watchDefaults(asked) } : asked;
  const { store } = target.resource;
  const { namespace, name } = exchange.info;
  const selection = await selectInPace(exchange, target, { ...options, namespace, name });
  if (!isWatch) {
    return { type: "list", page: await list(store, selection, options) };
  }
  const { clock, leastWatchMs } = services;
  const signal = watchSignal(exchange.signal, clock, options.timeoutSeconds, leastWatchMs);
  const run = await openWatch({ store, selection, options, clock, signal });
  return { type: "watch", run };
}
