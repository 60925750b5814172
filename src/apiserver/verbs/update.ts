import { badRequest, type StatusError } from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { isLarge, paceOf } from "../model/pace.ts";
import { keepRequestView } from "../registry/complete-object.ts";
import { ensureNamespace } from "../registry/object-lifecycle.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { Result } from "../registry/result.ts";
import type { ApiObject, Declaration } from "../registry/strategy.ts";
import { convertAndTrack } from "./field-managers.ts";
import { parseWriteOptions } from "./options.ts";
import { readObject } from "./read-object.ts";
import {
  attributesOf,
  authorizeCreate,
  contextOf,
  dedupeOwners,
  managerOf,
} from "./write-request.ts";

/** PUT of an object, or of its status. Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/update.go. */
export async function update(request: ResourceRequest, hooks?: Declaration): Promise<Result> {
  const { exchange, target } = request;
  const options = parseWriteOptions(exchange.query, "UpdateOptions");
  const sent = await readObject(request, options);
  ensureNamespace(
    sent.metadata,
    target.resource.declaration.handle.namespaced ? exchange.info.namespace : "",
  );
  checkName(sent, exchange.info.name);
  dedupeOwners(sent.metadata, exchange, false);
  const manager = managerOf(options, exchange);
  const { subresource } = exchange.info;
  return replace(request, {
    hooks,
    options,
    uid: sent.metadata.uid,
    next: async (old) => {
      const object = deepCopy(sent);
      keepRequestView(object, sent);
      if (exchange.pace?.isLarge) await exchange.pace.rest("field managers");
      await convertAndTrack(target, old, object, {
        manager,
        subresource,
        now: request.services.clock.now(),
        pace: exchange.pace,
      });
      return object;
    },
  });
}

interface Replacement {
  readonly hooks: Declaration | undefined;
  readonly options: { readonly dryRun: boolean };
  readonly forceCreate?: boolean;
  /** The required uid. */
  readonly uid?: string | undefined;
  /** Makes the new object from the stored one. Called again after a lost race. */
  next(old: ApiObject | undefined): Promise<ApiObject>;
}

/** The common end of update, patch and apply: admission around the store's update. */
export async function replace(request: ResourceRequest, replacement: Replacement): Promise<Result> {
  const { exchange, target, services } = request;
  const { hooks, options, forceCreate = false } = replacement;
  const { name, namespace } = exchange.info;
  const live = target.resource.store.findCached(namespace, name);
  if (live && isLarge(live.sizeBytes)) await paceOf(exchange).begin(live.sizeBytes, "read");
  const attributes = (object: ApiObject | undefined, old: ApiObject | undefined) =>
    attributesOf(request, old ? "UPDATE" : "CREATE", {
      ...(object ? { object } : {}),
      ...(old ? { oldObject: old } : {}),
      name,
      options,
      dryRun: options.dryRun,
    });
  const { object, created } = await target.resource.store.update(
    {
      name,
      ...(replacement.uid ? { uid: replacement.uid } : {}),
      ...(hooks ? { hooks } : {}),
      forceCreate,
      transform: async (old) => {
        const next = await replacement.next(old);
        if (exchange.pace?.isLarge) await exchange.pace.rest("admission");
        const admission = attributes(next, old);
        const mutation = services.admission.mutate(admission);
        if (mutation) await mutation;
        const admitted = admission.object ?? next;
        dedupeOwners(admitted.metadata, exchange, true);
        return admitted;
      },
      validateCreate: async (final) => {
        await authorizeCreate(request);
        await services.admission.validate(attributes(final, undefined));
      },
      validateUpdate: (final, old) => services.admission.validate(attributes(final, old)),
    },
    contextOf(request, options.dryRun),
  );
  return { type: "object", status: created ? 201 : 200, object };
}

/** The error for an object without a name. */
export const undeterminable = (expected: string): StatusError =>
  badRequest(
    `the name of the object (${expected} based on URL) was undeterminable: name must be provided`,
  );

/** The object must have the name of the path. */
export function checkName(object: ApiObject, expected: string): void {
  const { name } = object.metadata;
  if (!name) throw undeterminable(expected);
  if (name === expected) return;
  throw badRequest(
    `the name of the object (${name}) does not match the name on the URL (${expected})`,
  );
}
