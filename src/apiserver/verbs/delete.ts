import { forbidden, isNotFound } from "#/machinery/meta/status-error.ts";
import { settleAll } from "#/std/async/settle-all.ts";
import { TurnBudget } from "#/std/memory/turn-budget.ts";
import { header } from "../model/exchange.ts";
import type { DeleteOptions } from "../registry/deletion.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { Page, Result } from "../registry/result.ts";
import type { ApiObject } from "../registry/strategy.ts";
import { readBody } from "./body/read-body.ts";
import { decodeDeleteOptions } from "./delete-options.ts";
import { list } from "./list.ts";
import { checkDeleteOptions, deleteOptionsFromQuery, parseListOptions } from "./options.ts";
import { selectInPace } from "./selection.ts";
import { addWarning, attributesOf, contextOf } from "./write-request.ts";

/** DELETE of one object. Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/delete.go. */
export async function remove(request: ResourceRequest): Promise<Result> {
  const { exchange, target } = request;
  const options = await readDeleteOptions(request, false);
  const { declaration } = target.resource;
  const refusal = declaration.refuseDelete?.(exchange.info.name);
  if (refusal !== undefined) throw forbidden(declaration.handle, exchange.info.name, refusal);
  const { object, removed } = await deleteOne(request, exchange.info.name, options);
  const accepted = !removed && options.orphanDependents === false;
  const status = accepted ? 202 : 200;
  if (declaration.returnsDeletedObject || !removed) return { type: "object", status, object };
  return { type: "value", status, value: successStatus(target.version.handle, object.parsed()) };
}

/** DELETE of all objects that a list would return. */
export async function removeCollection(request: ResourceRequest): Promise<Result> {
  const { exchange, target } = request;
  const listOptions = parseListOptions(exchange.query);
  const options = await readDeleteOptions(request, true);
  const { store } = target.resource;
  const selected = { ...exchange.info, ...listOptions };
  const selection = await selectInPace(exchange, target, selected);
  const page: Page = await list(store, selection, listOptions);
  const remaining = page.items.values();
  const workers = Array.from({ length: Math.max(1, request.services.deleteWorkers ?? 1) }, () =>
    deleteEach(request, remaining, options),
  );
  await settleAll(workers);
  return { type: "list", page };
}

/** Deletes the remaining objects of an iterator, which several workers may share. */
async function deleteEach(
  request: ResourceRequest,
  remaining: Iterable<Page["items"][number]>,
  options: DeleteOptions,
): Promise<void> {
  const budget = new TurnBudget(request.services.clock);
  for (const stored of remaining) {
    // A dry run waits for nothing.
    if (budget.isSpent) await budget.yield();
    const { name = "", namespace = "" } = stored.parsed().metadata;
    try {
      await deleteOne(request, name, options, namespace);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

async function deleteOne(
  request: ResourceRequest,
  name: string,
  options: DeleteOptions,
  namespace = request.exchange.info.namespace,
) {
  const { services, target } = request;
  const dryRun = (options.dryRun?.length ?? 0) > 0;
  const validate = async (_: ApiObject | undefined, old: ApiObject | undefined): Promise<void> => {
    const details = { ...(old ? { oldObject: old } : {}), name, options, dryRun };
    const attributes = { ...attributesOf(request, "DELETE", details), namespace };
    await services.admission.mutate(attributes);
    await services.admission.validate(attributes);
  };
  const context = { ...contextOf(request, dryRun), namespace };
  return target.resource.store.delete(name, options, validate, context);
}

async function readDeleteOptions(
  { exchange, target }: ResourceRequest,
  isCollection: boolean,
): Promise<DeleteOptions> {
  const body = await readBody(exchange);
  const options =
    body.length > 0
      ? decodeDeleteOptions(body, header(exchange, "content-type"))
      : deleteOptionsFromQuery(exchange.query);
  checkDeleteOptions(options, isCollection);
  if (options.propagationPolicy === undefined && options.orphanDependents === undefined) {
    addWarning(exchange, target.resource.declaration.deleteWarning ?? "");
  }
  return options;
}

/**
 * The Status of a deletion without an object to show.
 * Upstream: staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go.
 */
function successStatus(handle: { group: string; name: string }, object: ApiObject): object {
  const { name, uid } = object.metadata;
  const details = {
    name,
    ...(handle.group === "" ? {} : { group: handle.group }),
    kind: handle.name,
    uid,
  };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}
