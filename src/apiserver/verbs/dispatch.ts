import { methodNotSupported } from "#/machinery/status-error.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { Declaration, ViewStrategy } from "../registry/strategy.ts";
import { viewDeclaration } from "../registry/view.ts";
import { create } from "./create.ts";
import { remove, removeCollection } from "./delete.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { parseListOptions } from "./options.ts";
import { patch } from "./patch.ts";
import type { Result } from "./result.ts";
import { scaleActions } from "./scale.ts";
import { select } from "./selection.ts";
import { update } from "./update.ts";
import { openWatch } from "./watch.ts";
import { watchSignal } from "./watch-signal.ts";
import type { ResourceRequest, VerbServices } from "./write-request.ts";

type Verb = (request: ResourceRequest) => Promise<Result>;

const resourceVerbs: Readonly<Record<string, Verb>> = {
  get,
  list: listOrWatch,
  watch: listOrWatch,
  create,
  update: (request) => update(request),
  patch: (request) => patch(request),
  delete: remove,
  deletecollection: removeCollection,
};

/** Finds what a request to /api or /apis is about and does it; undefined when nothing of the kind is served. */
export function dispatch(
  catalog: Catalog,
  services: VerbServices,
  exchange: Exchange,
): Promise<Result> | undefined {
  const { apiGroup, apiVersion, resource, subresource, verb } = exchange.info;
  const target = catalog.find(apiGroup, apiVersion, resource);
  if (!target) return undefined;
  const { declaration } = target.resource;
  const own = declaration.verbs ?? resourceVerbs;
  const verbs = subresource === "" ? own : subresourceVerbs(declaration, subresource);
  if (!verbs) return undefined;
  const request: ResourceRequest = { exchange, target, services };
  const run = verbs[verb] ?? verbs["connect"];
  const allowed = subresource !== "" || target.version.handle.verbs.includes(verb);
  if (!run || !allowed) throw methodNotSupported(target.version.handle, verb);
  return run(request);
}

function subresourceVerbs(
  declaration: Declaration,
  name: string,
): Readonly<Record<string, Verb>> | undefined {
  const action = declaration.actions?.[name];
  if (action) return action;
  if (name === "scale" && declaration.scale) return scaleActions(declaration.scale);
  const view = name === "status" ? statusView(declaration) : declaration.views?.[name];
  if (!view) return undefined;
  const hooks = viewDeclaration(declaration, view);
  return {
    get,
    update: (request) => update(request, hooks),
    patch: (request) => patch(request, hooks),
  };
}

function statusView({ status }: Declaration): ViewStrategy | undefined {
  return status === true ? {} : status;
}

async function listOrWatch(request: ResourceRequest): Promise<Result> {
  const { exchange, target, services } = request;
  const options = parseListOptions(exchange.query);
  const { declaration, store } = target.resource;
  const selection = select(declaration, {
    ...options,
    namespace: exchange.info.namespace,
    name: exchange.info.name,
  });
  if (!options.watch && exchange.info.verb !== "watch") {
    return { type: "list", page: await list(store, selection, options) };
  }
  const signal = watchSignal(exchange.signal, services.clock, options.timeoutSeconds);
  const run = await openWatch({ store, selection, options, clock: services.clock, signal });
  return { type: "watch", run };
}
